import type { Intent } from '../../../core/model/intent.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import { isDaemon, isFinished } from '../../../core/model/cluster/pod.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import type { GroupName, InstanceId, NodeName, PodKey } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { hasEnded } from '../../../core/model/drain.ts';
import type { GroupView } from '../../../providers/simulated/auto-scaling.ts';
import type { WorldEvent } from '../../../providers/simulated/world-event.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { nodeUnits } from '../node-sizes.ts';
import { fits } from '../packing.ts';
import { isHealthy } from '../removable-nodes.ts';
import { members, PATIENCE_MS, takenBy, unitsOf, watchLosses, withoutNodes } from '../truth.ts';
import { isWholeGroup } from '../whole-groups.ts';
import type { Invariant, Stage } from './invariant.ts';

/** What has been so for shorter may not have been read, and a function may be about to act on what was before. */
const SEEN_MS = minutes(1);
/** From a failure to the end of the other instances that are no nodes: an evaluation a minute, and what it has decided. */
const ANSWERED = minutes(2);
const LOOKS_EVERY = seconds(20);

type NodeToRemove = Extract<Intent, { kind: 'RemoveNodes' }>['nodes'][number];
type OfGroup = Extract<WorldEvent, { readonly group: GroupName }>;

/** What others do to a group: its size, its instances, or what the functions know of them, are not theirs then. */
const ELSEWHERE: ReadonlySet<WorldEvent['kind']> = new Set<WorldEvent['kind']>([
  'LaunchFailed',
  'SizeSetElsewhere',
  'BoundsSetElsewhere',
  'PausedElsewhere',
  'ResumedElsewhere',
  'GroupDeleted',
  'GroupCreated',
  'Untagged',
  'Tagged',
  'Protected',
  'Unprotected',
  'StandbyEntered',
  'StandbyLeft',
  'ProcessSuspended',
  'ProcessResumed',
  'InstanceUnnoticed',
  'LaunchAbandoned',
  'MarkLost',
  'TerminationMissed',
]);
const isElsewhere = (event: WorldEvent): event is OfGroup => ELSEWHERE.has(event.kind);

/**
 * A group that is all or nothing (`zeroOrMaxNodeScaling`) is bought whole: a size that is raised becomes the maximum. It goes
 * whole: whatever nodes it has are ordered to go together, when no pod is on any of them that nodes in Standby have no room for, and none of its instances is ended while
 * another of these nodes stays. When a part of it cannot be launched, or never becomes nodes, the other instances that are no
 * nodes yet are ended. In between it has nothing or its maximum, but for what the cloud and others have done
 * to it since it last had. Nodes that the cloud takes back, or replaces, go one by one.
 */
export const allOrNothing: Invariant = {
  name: 'groups that are all or nothing come and go whole',
  judgesOn: ['aws', 'clusterapi'],
  watch: (stage, violate, judge) => {
    const { scenario, world, orders } = stage;
    const { api, clock, scaling } = world;
    const groups = new Set(scenario.groups.flatMap((group) => (isWholeGroup(group) ? group.name : [])));
    const histories = new Map([...groups].map((name) => [name, recordOf(stage, name)] as const));
    const viewOf = (name: GroupName): GroupView | undefined =>
      scaling.groups().find(({ group }) => group.name === name);
    const boundAt = new Map<PodKey, EpochMs>();
    /** The nodes that were ordered to go with each. */
    const together = new Map<InstanceId, readonly NodeToRemove[]>();
    /** When nodes last lost the taint of a removal. */
    const freedAt = new Map<NodeName, EpochMs>();
    api.watch({
      node: (node, before) => {
        if (before !== null && isBeingRemoved(before) && !isBeingRemoved(node)) {
          freedAt.set(node.name, clock.now());
        }
      },
    });
    const isNewSince = (at: number | null | undefined): boolean => clock.now() - (at ?? 0) < SEEN_MS;

    /** What is free on nodes whose instances are in Standby: they serve on, are none of the group's, and take pods of its pool. */
    const roomInStandby = ({ group, aside = [] }: GroupView): readonly number[] => {
      const pool = scenario.pools.find(({ groups: names }) => names.includes(group.name))!;
      return aside.flatMap(({ node: name }) => {
        const node = name === null ? undefined : api.nodes.get(name);
        const takes = node !== undefined && isNodeReady(node) && isOpen(node);
        const here = [...api.pods.values()].filter((pod) => pod.nodeName === name && !isFinished(pod));
        return takes ? nodeUnits(pool, group) - here.reduce((sum, pod) => sum + takenBy(pod), 0) : [];
      });
    };
    const judgeIncrease = ({ id, group, from, to }: Extract<Intent, { kind: 'SetSize' }>): void => {
      const maximums = histories.get(group)!.maximums();
      if (to > from) {
        histories.get(group)!.raised();
        judge(false);
        if (!maximums.includes(to)) {
          violate(`${id} raises ${group} from ${from} to ${to}, and not to its maximum of ${maximums.join(' or ')}`);
        }
      }
    };
    const judgeRemoval = ({ id, group, nodes }: Extract<Intent, { kind: 'RemoveNodes' }>): void => {
      const unneeded = nodes.filter(({ notice }) => notice === undefined);
      const view = viewOf(group);
      if (unneeded.length === 0 || view === undefined) {
        return;
      }
      judge(false);
      const going = new Set([
        ...nodes.map(({ node }) => node),
        ...stage.drains().flatMap(({ drain }) => (hasEnded(drain) ? [] : drain.node)),
      ]);
      const staying = members(view).flatMap(({ node: name }) => {
        const node = name === null ? undefined : api.nodes.get(name);
        return node === undefined || going.has(node.name) || isNewSince(node.createdAt) ? [] : node.name;
      });
      if (staying.length > 0) {
        violate(
          `${id} removes ${unneeded.map(({ node }) => node).join(', ')} of ${group}, and ${staying.join(', ')} stay`,
        );
      }
      const pods = [...api.pods.entries()].filter(
        ([key, pod]) =>
          unneeded.some(({ node }) => node === pod.nodeName) &&
          !isDaemon(pod) &&
          !isFinished(pod) &&
          pod.deletedAt === null &&
          !isNewSince(boundAt.get(key)),
      );
      if (
        pods.length > 0 &&
        !fits(
          pods.map(([, pod]) => unitsOf(pod)),
          roomInStandby(view),
        )
      ) {
        violate(`${id} removes the nodes of ${group}, and ${pods.map(([key]) => key).join(', ')} run there`);
      }
      unneeded.forEach(({ instance }) => together.set(instance, unneeded));
    };
    /** The other nodes that were ordered to go with this one stay, and have for so long that it was known. */
    const judgeEnd = (group: GroupName, instance: InstanceId): void => {
      const there = new Set(members(viewOf(group)!).map(({ id }) => id));
      const staying = (together.get(instance) ?? []).filter(({ node: name, uid, instance: other }) => {
        const node = api.nodes.get(name);
        const isThere = other !== instance && there.has(other) && node?.uid === uid;
        return isThere && !isBeingRemoved(node) && !isNewSince(freedAt.get(name));
      });
      if (staying.length > 0 && !stage.announcements.of(instance).some(({ what }) => what !== 'InstanceStopping')) {
        violate(
          `${instance} of ${group} is ended, and ${staying.map(({ node }) => node).join(', ')}, to go with it, stay`,
        );
      }
    };
    const look = (): void => {
      for (const [name, history] of histories) {
        const view = viewOf(name);
        if (view === undefined) {
          continue;
        }
        const left = history.leftBehind(view);
        if (left.length > 0 && isHealthy(world, scenario.options)) {
          violate(`a part of ${name} has failed, and ${left.join(', ')} are waited for`);
        }
        const isInHand =
          orders.inHand(clock.now()).some(({ group }) => group === name) ||
          stage.drains().some(({ drain }) => drain.group === name && !hasEnded(drain));
        const excused = history.isInPart(view, isInHand);
        if (excused !== null) {
          judge(excused);
          if (!excused) {
            violate(
              `${name} is to have ${view.desired} instances, neither none nor its maximum of ${view.group.maxSize}`,
            );
          }
        }
      }
    };
    if (groups.size > 0) {
      for (let at = scenario.start; at < scenario.until; at = addTime(at, LOOKS_EVERY)) {
        clock.at(at, look);
      }
    }
    return {
      step: () => scaling.groups().forEach((view) => histories.get(view.group.name)?.seen(view)),
      event: (event) => {
        if (event.kind === 'PodBound') {
          boundAt.set(event.pod, event.at);
        }
        if ('group' in event) {
          histories.get(event.group)?.note(event);
        }
        if (event.kind === 'InstanceTerminated' && event.decrement && groups.has(event.group)) {
          judgeEnd(event.group, event.instance);
        }
      },
      committed: ({ intents }) => {
        for (const intent of intents.filter(({ group }) => groups.has(group))) {
          if (intent.kind === 'SetSize') {
            judgeIncrease(intent);
          } else if (intent.kind === 'RemoveNodes') {
            judgeRemoval(intent);
          }
        }
      },
      drain: ({ drain }) => {
        if (drain.notice !== undefined || drain.outcome?.kind === 'rolledBack') {
          histories.get(drain.group)?.trouble();
        }
      },
    };
  },
};

const isOpen = ({ unschedulable, taints }: Node): boolean =>
  !unschedulable && taints.every(({ effect }) => effect === 'PreferNoSchedule');

/** What has happened to one such group. */
interface History {
  readonly note: (event: OfGroup) => void;
  /** It was decided that it is to grow. */
  readonly raised: () => void;
  readonly trouble: () => void;
  readonly seen: (view: GroupView) => void;
  /** What its maximum is, and has been shortly before. */
  readonly maximums: () => readonly number[];
  /** Instances that are no nodes, though a part of the group has failed, and that have not been ended for too long. */
  readonly leftBehind: (view: GroupView) => readonly InstanceId[];
  /** Has it a part of its maximum, for a while and with nothing in hand, and is that excused? `null`: not, or that has been said. */
  readonly isInPart: (view: GroupView, isInHand: boolean) => boolean | null;
}

function recordOf({ scenario, world, strikes, orders, outages }: Stage, name: GroupName): History {
  const { clock } = world;
  const { minSize, maxSize } = scenario.groups.find((group) => group.name === name)!;
  let bounds = [{ minSize, maxSize, at: scenario.start }];
  let failedAt: EpochMs | null = null;
  let troubled = false;
  let settledSince: EpochMs | null = null;
  let judged = false;
  const loses = watchLosses(scenario.provider);
  const isPast = (time: number): boolean => clock.now() - time > PATIENCE_MS;
  let raisedAt: EpochMs | null = null;
  /** From when on each instance has its time to become a node: when it was decided to launch it, which may take long to be done. */
  const awaited = new Map<InstanceId, EpochMs>();
  const isLong = (instance: InstanceId, launchedAt: number = clock.now()): boolean =>
    isPast(awaited.get(instance) ?? launchedAt);
  return {
    note: (event) => {
      if (event.kind === 'BoundsSetElsewhere') {
        bounds = [...bounds.slice(-1), { minSize: event.minSize, maxSize: event.maxSize, at: event.at }];
      }
      if (event.kind === 'InstanceLaunched') {
        // What had failed is made after all.
        failedAt = failedAt !== null && event.at > failedAt ? null : failedAt;
        awaited.set(event.instance, raisedAt === null || isPast(raisedAt) ? event.at : raisedAt);
      }
      const isGivenUp = event.kind === 'InstanceTerminated' && event.node === null && isLong(event.instance);
      if (event.kind === 'LaunchFailed' || isGivenUp) {
        failedAt ??= event.at;
      }
      troubled ||= isElsewhere(event) || isGivenUp;
    },
    raised: () => {
      raisedAt = clock.now();
    },
    trouble: () => {
      troubled = true;
    },
    seen: (view) => {
      const { desired, group, instances } = view;
      const isWhole = desired === group.maxSize && members(view).length === desired;
      if (desired === 0 || (isWhole && instances.every(({ node }) => node !== null))) {
        troubled = false;
        judged = false;
        failedAt = null;
      }
      // An instance whose Node another client has deleted is ended as one that is no node, and the others stay.
      const forgotten = withoutNodes(world);
      troubled ||=
        loses(view) ||
        members(view).some((one) => forgotten.has(one.id) || (one.node === null && isLong(one.id, one.launchedAt)));
    },
    maximums: () =>
      bounds.flatMap(({ maxSize: max }, i) => (clock.now() - (bounds[i + 1]?.at ?? clock.now()) < SEEN_MS ? max : [])),
    leftBehind: (view) => {
      const since = failedAt;
      const isDue = since !== null && clock.now() - since > ANSWERED;
      if (!isDue) {
        return [];
      }
      failedAt = null;
      // What keeps functions from their work, or from the group, may do so for long.
      const isKept = strikes.troubledUntil() > since || outages.lastedSince(since) > 0 || orders.lostAt() > since;
      const isOthers = view.paused === true || view.untagged === true || view.group.minSize > 0;
      return isKept || isOthers
        ? []
        : members(view).flatMap(({ id, node, launchedAt }) => (node === null && launchedAt <= since ? id : []));
    },
    isInPart: ({ desired, group }, isInHand) => {
      if (isInHand || desired <= group.minSize || desired >= group.maxSize) {
        settledSince = null;
        return null;
      }
      settledSince ??= clock.now();
      if (judged || clock.now() - settledSince < SEEN_MS) {
        return null;
      }
      judged = true;
      return troubled;
    },
  };
}
