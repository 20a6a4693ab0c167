import type { ClusterApiWorld } from '../../../simulation/world.ts';
import type { Invariant } from './invariant.ts';

/**
 * A machine that is not marked for deletion never goes because of Outrigger: where a MachineSet has too many, it deletes
 * marked machines, or others because another client has lowered the replicas, or has removed a mark when it was too late to
 * know of it. In the end no mark is left: what stays marked would go with the next machine.
 */
export const onlyMarkedGo: Invariant = {
  name: 'only a marked machine goes, and no mark stays behind',
  on: ['clusterapi'],
  watch: ({ scenario, world }, violate, count) => {
    if (scenario.provider !== 'clusterapi') {
      return {};
    }
    const { scaling } = world as ClusterApiWorld;
    scaling.onScaledDown(({ group, instance, marked, elsewhere }) => {
      count(marked || !elsewhere);
      if (!marked && !elsewhere) {
        violate(`${instance} of ${group} goes, and it was not marked`);
      }
    });
    return {
      ended: () => {
        const marked = scaling.marked();
        if (marked.length > 0) {
          violate(`in the end ${marked.join(', ')} are still marked for deletion`);
        }
      },
    };
  },
};
