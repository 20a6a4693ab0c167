import type { ClusterApiWorld } from '../../../providers/simulated/world.ts';
import type { Invariant } from './invariant.ts';

/** A mark outlives its termination by no more than the end of the run: what stays marked goes with the next machine. */
export const marksTakenBack: Invariant = {
  name: 'no mark for deletion stays behind',
  on: ['clusterapi'],
  watch: ({ scenario, world }, violate, count) => ({
    ended: () => {
      const marked = scenario.provider === 'clusterapi' ? (world as ClusterApiWorld).scaling.marked() : [];
      if (scenario.provider === 'clusterapi') {
        count(true);
      }
      if (marked.length > 0) {
        violate(`in the end ${marked.join(', ')} are still marked for deletion`);
      }
    },
  }),
};
