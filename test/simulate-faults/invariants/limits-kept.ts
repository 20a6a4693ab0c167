import { areWithinLimits } from '../limits.ts';
import { isOvertaken } from '../../../core/actuation/superseded.ts';
import { inOrder } from '../../../core/actuation/intent-order.ts';
import type { Intent, SetSizeIntent } from '../../../core/model/intent.ts';
import type { State } from '../../../core/model/state.ts';
import type { NodeName } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { GroupView } from '../../../providers/simulated/auto-scaling.ts';
import { members } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/** So long an instance is expected to become a node, by clocks that may be off. */
const PATIENCE_MS = minutes(13);
/** From the read of the cluster to the decision that comes of it, when every call is slow. */
const READ_AGE_MS = minutes(1);
/** What others change is taken in after a while. */
const LEARNED = minutes(1);

/**
 * No group is to grow beyond the limits of the whole cluster – nodes, cores and memory –, counted when that is decided from
 * the sizes that the groups have or are to have, and the nodes of instances in Standby. A size that is to be lowered counts as it is until it has been.
 */
export const limitsKept: Invariant = {
  name: 'the limits of the cluster are kept',
  // Sizes that were changed lately are not seen.
  assumes: ['lag', 'skew'],
  watch: ({ world, orders, scenario: { options } }, violate, judge) => {
    const { api, clock } = world;
    /** Instances that are no nodes and not expected to become any, since they have failed for good, say: they amount to nothing. */
    const givenUpIn = (view: GroupView): number =>
      members(view).filter(
        ({ node, launchedAt, failed = false }) =>
          (node === null || !api.nodes.has(node)) &&
          (node !== null || failed || clock.now() - launchedAt > PATIENCE_MS),
      ).length;
    /**
     * What a group has or gets soon: what it lacks and the cloud refuses does not count, unless that is being given up. Of a
     * group without its tags of discovery nothing is known but its nodes, as far as they had come when nodes were read.
     */
    const expectedOf = (
      view: GroupView,
      open: readonly Intent[],
      decided: readonly SetSizeIntent[],
      read: ReadonlySet<NodeName>,
    ): number => {
      const held = members(view);
      if (view.untagged === true) {
        return held.filter(({ node: name }) => {
          const node = name === null ? undefined : api.nodes.get(name);
          return node !== undefined && (read.has(node.name) || clock.now() - (node.createdAt ?? 0) > READ_AGE_MS);
        }).length;
      }
      let target = view.desired;
      let lowered = 0;
      for (const one of open.toSorted(inOrder)) {
        // One that is made already, and not ended yet, begins elsewhere.
        if (one.kind === 'SetSize' && one.group === view.group.name && one.from === target) {
          target = one.to;
          lowered += Math.max(0, one.from - one.to);
        }
      }
      const asked = decided.find(({ group }) => group === view.group.name);
      const raised = asked === undefined ? 0 : asked.to - asked.from;
      const isRefused = view.error !== null;
      return (isRefused ? Math.min(view.desired, held.length + lowered) + raised : target + lowered) - givenUpIn(view);
    };
    /** A resource of Cluster API states what is allocatable, and not what a machine has: nothing else is known without a node of it. */
    const asStated = (view: GroupView, read: ReadonlySet<NodeName>): GroupView => {
      const isKnown = world.provider === 'aws' || view.instances.some(({ node }) => node !== null && read.has(node));
      const { capacity, allocatable } = view.group;
      return isKnown ? view : { ...view, group: { ...view.group, capacity: { ...capacity, ...allocatable } } };
    };
    let changedAt: EpochMs | null = null;
    /** The nodes that a decision was made from, by the state that it leads to. */
    const readFor = new WeakMap<State, ReadonlySet<NodeName>>();
    return {
      decided: ({ objects }, decision) => {
        readFor.set(decision.state, new Set(objects.nodes.map(({ name }) => name)));
      },
      event: (event) => {
        if (
          event.kind === 'NodeGone' ||
          event.kind === 'SizeSetElsewhere' ||
          event.kind === 'StandbyEntered' ||
          event.kind === 'GroupCreated' ||
          event.kind === 'GroupDeleted' ||
          event.kind === 'Tagged'
        ) {
          changedAt = event.at;
        }
      },
      committed: ({ intents, state }) => {
        const raised = intents.flatMap((one) => (one.kind === 'SetSize' && one.to > one.from ? one : []));
        if (raised.length === 0) {
          return;
        }
        // What a failure of its group has overtaken is not made any more.
        const open = orders.open().filter((one) => !isOvertaken(one, state));
        const read = readFor.get(state) ?? new Set();
        const views = world.scaling
          .groups()
          .map((view) => ({ ...asStated(view, read), desired: expectedOf(view, open, raised, read) }));
        const isExcused = changedAt !== null && addTime(changedAt, LEARNED) > clock.now();
        judge(isExcused);
        if (!areWithinLimits(views, world, options) && !isExcused) {
          violate(`${raised.map(({ group }) => group).join(', ')} is to grow, which is more than the limits allow`);
        }
      },
    };
  },
};
