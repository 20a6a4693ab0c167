import { keyOf } from '../../../core/model/pod.ts';
import type { Invariant } from './invariant.ts';

/**
 * No eviction takes a workload below its budget: whenever a pod that serves is asked to go, as many others serve as are to
 * be available. Counted pod by pod, and not as the budget itself says.
 */
export const budgetsKept: Invariant = {
  name: 'no eviction beyond a budget',
  watch: ({ world: { api, controllers } }, violate) => {
    api.watch({
      pod: (pod, before) => {
        if (before?.ready !== true || before.deletedAt !== null || pod.deletedAt === null) {
          return;
        }
        const workload = controllers.workload(controllers.workloadOf(pod));
        const needed = workload?.minAvailable ?? 0;
        if (workload === null || needed === 0) {
          return;
        }
        const left = api.pods
          .values()
          .filter((one) => one.ready && one.deletedAt === null && one.controller?.uid === pod.controller?.uid)
          .reduce((count) => count + 1, 0);
        if (left < needed) {
          violate(`${keyOf(pod)} is evicted, and ${left} others serve: ${needed} are to be available`);
        }
      },
    });
    return {};
  },
};
