import { mayGrow } from '../limits.ts';
import type { Invariant } from './invariant.ts';
import { isMoved } from './recovers.ts';
import { poolsOfWorkloads } from '../pools.ts';
import { wouldTake } from '../skewed-zones.ts';

/** An evicted pod is replaced: in the end a workload whose pods were evicted has as many as are wanted. */
export const evictedFindPlaces: Invariant = {
  name: 'evicted pods find places',
  watch: ({ world, scenario }, violate) => {
    const { api, controllers, scaling } = world;
    const evicted = new Set<string>();
    const pools = poolsOfWorkloads(scenario);
    return {
      event: (event) => {
        if (event.kind === 'PodEvicted') {
          evicted.add(event.workload);
        }
      },
      ended: () => {
        const growing = scaling.groups().filter((view) => mayGrow(view, world, scenario.options));
        for (const key of evicted) {
          const workload = controllers.workload(key);
          const pool = pools.get(key);
          // A Job's pods end, and may be gone with their nodes.
          if (
            workload === null ||
            workload.runsFor !== null ||
            pool === undefined ||
            !growing.some(
              (view) => pool.groups.includes(view.group.name) && wouldTake(view, pool, scenario.pools, world),
            )
          ) {
            continue;
          }
          const own = [...api.pods.values()].filter((pod) => controllers.workloadOf(pod) === key);
          const placed = own.filter(
            (pod) => pod.deletedAt === null && (pod.nodeName !== null || isMoved(pod, { scenario, world })),
          ).length;
          if (placed < workload.pods) {
            violate(`in the end ${placed} of the ${workload.pods} pods of ${key} have a place, and some were evicted`);
          }
        }
      },
    };
  },
};
