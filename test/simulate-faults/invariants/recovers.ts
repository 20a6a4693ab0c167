import { isExpendable } from '../../../core/model/cluster/expendable.ts';
import { keyOf } from '../../../core/model/cluster/pod.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { mayGrow } from '../limits.ts';
import { isOf } from '../pools.ts';
import { unitsOf } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/** From the creation of a pod to its start on a new node. Where nodes expire, pods are moved as long as the run lasts. */
const PATIENCE_MS = minutes(15);

/**
 * In the end, when every instance that never came has been given up and every group has been tried again, no pod has been
 * pending for 15 minutes that a node of a group of its pool could hold, while that group may grow.
 */
export const recovers: Invariant = {
  name: 'every pod that a node could hold runs in the end',
  watch: ({ scenario, world }, violate, count) => ({
    ended: () => {
      const { api, clock, scaling } = world;
      const views = scaling.groups();
      count(true);
      for (const pod of api.pods.values()) {
        const pool = scenario.pools.find((one) => isOf(one, pod) && unitsOf(pod) <= one.units);
        const isPending = pod.nodeName === null && clock.now() - (pod.createdAt ?? 0) > PATIENCE_MS;
        if (pool === undefined || !isPending || isExpendable(pod, scenario.options)) {
          continue;
        }
        const may = views.filter(
          (view) => pool.groups.includes(view.group.name) && mayGrow(view, world, scenario.options),
        );
        if (may.length > 0) {
          const names = may.map(({ group }) => group.name).join(', ');
          violate(`in the end ${keyOf(pod)} has been pending for more than 15 minutes, and ${names} may grow`);
        }
      }
    },
  }),
};
