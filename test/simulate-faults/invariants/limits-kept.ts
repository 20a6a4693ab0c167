import { areWithinLimits } from '../limits.ts';
import { addTime, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { GroupView } from '../../../providers/simulated/auto-scaling.ts';
import { members } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/** So long an instance is expected to become a node, by clocks that may be off. */
const PATIENCE_MS = minutes(13);
/** What others change is taken in after a while. */
const LEARNED = minutes(1);

/**
 * No size is raised beyond the limits of the whole cluster, and none lowered below its minimums by a drain: nodes, cores and
 * memory, counted from the sizes that the groups are to have. What other clients have changed lately is not known yet.
 */
export const limitsKept: Invariant = {
  name: 'the limits of the cluster are kept',
  // Sizes that were changed lately are not seen.
  assumes: ['lag', 'skew'],
  watch: ({ world, scenario: { options } }, violate, judge) => {
    const { api, clock } = world;
    /** Instances that are no nodes and not expected to become any, since they have failed for good, say: they amount to nothing. */
    const givenUpIn = (view: GroupView): number =>
      members(view).filter(
        ({ node, launchedAt, failed = false }) =>
          (node === null || !api.nodes.has(node)) &&
          (node !== null || failed || clock.now() - launchedAt > PATIENCE_MS),
      ).length;
    /** What a group has or gets soon: what it lacks and the cloud refuses does not count. */
    const expectedOf = (view: GroupView): number =>
      (view.error === null ? view.desired : Math.min(view.desired, members(view).length)) - givenUpIn(view);
    let changedAt: EpochMs | null = null;
    return {
      event: (event) => {
        if (
          event.kind === 'NodeGone' ||
          event.kind === 'SizeSetElsewhere' ||
          event.kind === 'GroupCreated' ||
          event.kind === 'GroupDeleted'
        ) {
          changedAt = event.at;
        }
        const views = world.scaling.groups().map((view) => ({ ...view, desired: expectedOf(view) }));
        if (event.kind === 'SizeSet' && event.to > event.from) {
          const isExcused = changedAt !== null && addTime(changedAt, LEARNED) > event.at;
          judge(isExcused);
          if (!areWithinLimits(views, options) && !isExcused) {
            violate(`${event.group} goes from ${event.from} to ${event.to}, which is more than the limits allow`);
          }
        }
      },
    };
  },
};
