import { isDaemon, isFinished, keyOf } from '../../../core/model/cluster/pod.ts';
import { isRemovalTaint } from '../../../core/model/cluster/removal-taints.ts';
import type { GroupName, InstanceId, NodeName } from '../../../core/model/values/names.ts';
import { type EpochMs, epochMs, minutes } from '../../../core/model/values/time.ts';
import { isAtItsEnd } from '../deadlines.ts';
import { watchLeftBehind } from '../left-behind.ts';
import { isOwnHook } from '../notice-scenario.ts';
import type { Invariant } from './invariant.ts';

/** From the moment that nothing is left on a node to the completion: two steps of its drain, and a call. */
const BOUND_MS = 60_000;
/** Volumes that are still attached are waited for so long (docs/drain.md). */
const VOLUMES_MS = 120_000;
/** A driver that was lost is taken up by a later scan, which may fail as well. */
const LOOSE_MS = minutes(10);
const LOOK_EVERY_MS = 2_000;
/** From the event to the hook's completion or its first heartbeat: a node is tainted and its pods are asked to go by then (`notices-answered.ts`). */
const ANSWERED_MS = 45_000;
/** From the moment that a group is discovered again: its next evaluation, and the first steps of the drain. */
const DISCOVERED_MS = 90_000;

interface Waiting {
  readonly group: GroupName;
  readonly instance: InstanceId;
  readonly node: NodeName | null;
  takenAt: EpochMs | null;
  /** Whether its notice has been taken in, whatever group that was for. */
  isKept: boolean;
  /** Since when nothing but DaemonSets' pods has been on the node. */
  emptySince: EpochMs | null;
  /** Since when no volume has been waited for either. */
  freeSince: EpochMs | null;
}

/**
 * A lifecycle hook of Outrigger's is completed once its node is drained, or after the time that a drain for it may take:
 * never before, and soon after that. It does not time out before while the functions and what they rely on work. Hooks of
 * other tools are left to them.
 */
export const hooksCompleted: Invariant = {
  name: 'a lifecycle hook is completed after its drain, and not forgotten',
  on: ['aws'],
  assumes: ['skew'],
  watch: (stage, violate, count) => {
    const {
      world: { api, clock },
      strikes,
    } = stage;
    const leftBehind = watchLeftBehind(stage);
    const waiting = new Map<string, Waiting>();
    /** Nodes that have been tainted; another client may take that off at any time, even while a hook is completed. */
    const tainted = new Set<NodeName>();
    let lookAt: EpochMs = clock.now();
    const left = ({ instance, node }: Waiting) =>
      node === null || !api.nodes.has(node)
        ? []
        : leftBehind.on(
            node,
            stage.drains().flatMap(({ drain }) => (drain.instance === instance ? drain : [])),
          );
    /** Nothing is on it, not even a pod that has come back, or late. */
    const isEmpty = ({ node }: Waiting): boolean =>
      ![...api.pods.values()].some(
        (pod) => node !== null && pod.nodeName === node && !isDaemon(pod) && !isFinished(pod),
      );
    const hasVolumes = ({ node }: Waiting): boolean =>
      api.storage().volumeAttachments.some(({ nodeName }) => nodeName === node);
    const isUntagged = (name: GroupName): boolean =>
      stage.world.scaling.groups().some(({ group, untagged }) => group.name === name && untagged === true);
    const undisturbed = (since: EpochMs): boolean => strikes.troubledUntil() < since;
    return {
      taken: ({ hook, takenAt }) => {
        const one = hook === null ? undefined : waiting.get(hook.token);
        if (one !== undefined) {
          one.isKept = true;
          one.takenAt = isUntagged(one.group) ? null : takenAt;
        }
      },
      event: (event) => {
        leftBehind.event(event);
        if (event.kind === 'NodeTainted' && isRemovalTaint(event.taint)) {
          tainted.add(event.node);
          return;
        }
        if (event.kind === 'NodeRegistered') {
          tainted.delete(event.node);
          return;
        }
        if (event.kind === 'HookWaits') {
          if (isOwnHook(event.hook)) {
            waiting.set(event.token, { ...event, takenAt: null, isKept: false, emptySince: null, freeSince: null });
          }
          return;
        }
        if (event.kind === 'Untagged') {
          // No group of the cluster any more, as far as that is known.
          for (const one of waiting.values().filter(({ group }) => group === event.group)) {
            one.takenAt = null;
          }
          return;
        }
        if (event.kind === 'Tagged') {
          for (const one of waiting.values().filter(({ group, isKept }) => group === event.group && isKept)) {
            one.takenAt = epochMs(event.at + DISCOVERED_MS);
          }
          return;
        }
        if (event.kind === 'InstanceStopping') {
          // It waits for no hook any more.
          waiting.forEach(({ instance }, token) => {
            if (instance === event.instance) {
              waiting.delete(token);
            }
          });
          return;
        }
        if (event.kind !== 'HookEnded') {
          return;
        }
        const { token, hook, instance, node, how } = event;
        const one = waiting.get(token);
        waiting.delete(token);
        if (how === 'completed') {
          count(true);
          if (one === undefined) {
            violate(`${hook} of ${instance} is completed, which is another tool's`);
            return;
          }
          const registered = node === null ? undefined : api.nodes.get(node);
          const pods = isAtItsEnd(stage, instance, event.at) ? [] : left(one);
          if (pods.length > 0) {
            violate(`${hook} of ${instance} is completed with pods on ${node}: ${pods.map(keyOf).join(', ')}`);
          }
          if (registered !== undefined && !tainted.has(registered.name)) {
            violate(`${hook} of ${instance} is completed, and its node ${node} was never tainted`);
          }
          return;
        }
        if (one === undefined) {
          return;
        }
        const { takenAt } = one;
        const isForgotten = takenAt !== null && takenAt + ANSWERED_MS <= event.at && undisturbed(takenAt);
        count(isForgotten);
        if (isForgotten) {
          violate(`${hook} of ${instance} times out, ${(event.at - takenAt) / 1_000} s after it was known`);
        }
      },
      step: () => {
        const now = clock.now();
        if (waiting.size === 0 || now < lookAt) {
          return;
        }
        lookAt = (now + LOOK_EVERY_MS) as EpochMs;
        for (const [token, one] of waiting) {
          if (one.takenAt === null || one.takenAt > now || !isEmpty(one)) {
            one.emptySince = null;
            one.freeSince = null;
            continue;
          }
          one.emptySince ??= now;
          const waitsForVolumes = now - one.emptySince < VOLUMES_MS && hasVolumes(one);
          one.freeSince = waitsForVolumes ? now : (one.freeSince ?? now);
          const lasts = now - one.freeSince;
          const isOverdue =
            (lasts > BOUND_MS && undisturbed(one.freeSince)) ||
            now - Math.max(one.freeSince, strikes.troubledUntil()) > LOOSE_MS;
          if (isOverdue) {
            violate(
              `nothing has been on ${one.node} for ${lasts / 1_000} s, and the hook ${token} of ${one.instance} waits`,
            );
          }
        }
      },
    };
  },
};
