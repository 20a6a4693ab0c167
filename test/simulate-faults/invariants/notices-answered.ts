import { keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import type { GroupName, InstanceId, NodeName, PodKey } from '../../../core/model/values/names.ts';
import { isBeingRemoved, isRemovalTaint } from '../../../core/model/cluster/removal-taints.ts';
import { type EpochMs, epochMs, minutes } from '../../../core/model/values/time.ts';
import type { SimulatedInstance } from '../../../simulation/cloud/group-view.ts';
import { dueFrom, isToBeAnswered } from '../deadlines.ts';
import { watchLeftBehind } from '../left-behind.ts';
import type { Announced } from '../announcements.ts';
import type { Invariant, Stage } from './invariant.ts';

/** From the event to the taint, over two queues, three functions and the API server. */
const BOUND_MS = 20_000;
/** Limit where no event comes at the time: the next evaluation is a minute away. */
const BOUND_LATER_MS = 90_000;
/** From the taint to the first time that each pod is asked to go: priority by priority, where `drainPriorityConfig` says so. */
const ASKED_MS = 90_000;
/** After the end of the last thing that went wrong, it is made up for by then. */
const LOOSE_MS = minutes(5);

/** A node that is to be drained. */
interface Case {
  readonly announced: Announced;
  readonly due: EpochMs;
}

/**
 * A node whose instance the cloud is going to end is tainted and asked to drain within seconds of the announcement, while
 * the functions and what they rely on work; and within minutes of the end of the last thing that went wrong, as
 * long as the instance is there.
 */
export const noticesAnswered: Invariant = {
  name: 'a node is drained as soon as the end of its instance is announced',
  on: ['aws'],
  // Deadlines are read from clocks that are minutes off.
  assumes: ['skew'],
  watch: (stage, violate, count) => {
    const {
      scenario: { options },
      world: { api, clock },
      announcements,
      strikes,
    } = stage;
    const leftBehind = watchLeftBehind(stage);
    const asked = new Map<PodKey, EpochMs>();
    const open = new Map<InstanceId, Case>();
    const hooks = new Set<string>();

    /** As long as the instance is there, and need not be gone. */
    const instanceOf = ({ instance, hook }: Announced): SimulatedInstance | null => {
      const one = instanceIn(stage, instance);
      return one !== null && (one.state !== 'Deleting' || (hook !== null && hooks.has(hook.token))) ? one : null;
    };
    const undisturbed = (due: EpochMs): boolean => strikes.troubledUntil() < due;
    const madeUp = (due: EpochMs): boolean => clock.now() - Math.max(due, strikes.troubledUntil()) >= LOOSE_MS;

    const answered = ({ announced, due }: Case, node: NodeName): void => {
      count(undisturbed(due));
      open.delete(announced.instance);
      const there = leftBehind.on(node, []).filter(isPlain);
      const since = epochMs(Math.max(clock.now(), due));
      // Notices that leave more time: pods that a drain rule keeps are asked as late as that time allows.
      if (isInterruption(announced)) {
        clock.at(epochMs(since + ASKED_MS), () => checkAsked(announced, node, there, since));
      }
    };
    const check = (one: Case): void => {
      const { announced, due } = one;
      if (open.get(announced.instance) !== one) {
        return;
      }
      const instance = instanceOf(announced);
      const node = instance?.node == null ? undefined : api.nodes.get(instance.node);
      if (node === undefined) {
        // It has ended, in spite of all or because of it.
        count(false);
        open.delete(announced.instance);
        return;
      }
      if (undisturbed(due) || madeUp(due)) {
        violate(
          `the end of ${announced.instance} was announced by ${announced.id} (${announced.what}), and ` +
            `${(clock.now() - due) / 1_000} s later its node ${node.name} is not tainted`,
        );
        return;
      }
      clock.at(epochMs(Math.max(clock.now() + 1_000, strikes.troubledUntil() + LOOSE_MS)), () => check(one));
    };
    const checkAsked = (announced: Announced, node: NodeName, there: readonly Pod[], since: EpochMs): void => {
      if (instanceOf(announced) === null || !undisturbed(since) || strikes.last('refusal') >= since) {
        return;
      }
      const forgotten = there.filter((pod) => {
        const now = api.pods.get(keyOf(pod));
        return now?.uid === pod.uid && now.deletedAt === null && now.nodeName === node && !asked.has(keyOf(pod));
      });
      if (forgotten.length > 0) {
        violate(
          `${node} is drained as ${announced.instance} ends, and not asked to go are ${forgotten.map(keyOf).join(', ')}`,
        );
      }
    };
    const begin = (announced: Announced, isSeen: boolean): void => {
      const { instance } = announced;
      const now = clock.now();
      // Interruptions are left to another program then, and whatever else is said of an interrupted instance.
      const isLeft = options.spotInterruption !== 'drain' && announcements.of(instance).some(isInterruption);
      if (isLeft || open.has(instance) || instanceOf(announced)?.node == null) return;
      const due = epochMs(Math.max(now, dueFrom(announced)));
      const one: Case = { announced, due };
      open.set(instance, one);
      const node = api.nodes.get(instanceOf(announced)!.node!);
      if (node !== undefined && isBeingRemoved(node)) {
        answered(one, node.name);
        return;
      }
      clock.at(epochMs(due + (isSeen && due === now ? BOUND_MS : BOUND_LATER_MS)), () => check(one));
    };
    const beginKnown = (instance: InstanceId): void =>
      announcements
        .of(instance)
        .filter((one) => one.takenAt !== null && isToBeAnswered(one, options))
        .forEach((one) => begin(one, false));
    return {
      taken: (announced) => {
        if (isToBeAnswered(announced, options)) begin(announced, true);
      },
      event: (event) => {
        leftBehind.event(event);
        if (event.kind === 'HookWaits') {
          hooks.add(event.token);
        } else if (event.kind === 'HookEnded') {
          hooks.delete(event.token);
        } else if (event.kind === 'PodEvicted' || event.kind === 'EvictionRefused') {
          asked.set(event.pod, event.at);
        } else if (event.kind === 'NodeTainted' && isRemovalTaint(event.taint)) {
          const one = open.values().find(({ announced }) => instanceOf(announced)?.node === event.node);
          if (one !== undefined) answered(one, event.node);
        } else if (event.kind === 'NodeRegistered') {
          beginKnown(event.instance);
        } else if (event.kind === 'Tagged') {
          // It is shown with its tags from now on.
          clock.after(1, () => instancesOf(stage, event.group).forEach(({ id }) => beginKnown(id)));
        }
      },
    };
  },
};

const isInterruption = ({ what }: Announced): boolean => what === 'SpotInterruption';

const instanceIn = ({ world: { scaling } }: Pick<Stage, 'world'>, id: InstanceId): SimulatedInstance | null =>
  scaling
    .groups()
    // Announcements about a group that is not discovered are answered once it is.
    .flatMap(({ instances, untagged }) => (untagged === true ? [] : (instances.find((one) => one.id === id) ?? [])))
    .at(0) ?? null;

const instancesOf = ({ world: { scaling } }: Pick<Stage, 'world'>, name: GroupName): readonly SimulatedInstance[] =>
  scaling.groups().flatMap(({ group, instances }) => (group.name === name ? instances : []));

/** Nothing keeps the pod on its node, not even for a while, as the rules for pods of kube-system and of Jobs do. */
const isPlain = ({ namespace, annotations, controller, spec }: Pod): boolean =>
  namespace !== 'kube-system' &&
  controller?.kind !== 'Job' &&
  Object.keys(annotations).length === 0 &&
  spec.tolerations.length === 0;
