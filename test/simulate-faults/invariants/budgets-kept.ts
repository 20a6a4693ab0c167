import { isAtItsEnd } from '../deadlines.ts';
import { isDaemon, isFinished, keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import type { Invariant } from './invariant.ts';

/**
 * No pod that serves is taken away below its workload's budget: whenever one is asked to go, or loses its node since the
 * node's instance is ended by name, as many others serve as are to be available. Counted pod by pod, and not as the budget
 * itself says. The API server would refuse the former; nothing but Outrigger's care prevents the latter, until the end that
 * the cloud has announced for the instance. A lifecycle hook that is completed ends it as well.
 */
export const budgetsKept: Invariant = {
  name: 'no eviction beyond a budget',
  watch: (stage, violate) => {
    const { api, controllers } = stage.world;
    /** @param leaving the pods of one workload that go at the same time. */
    const check = (leaving: readonly Pod[], how: string): void => {
      const [pod] = leaving;
      const workload = pod === undefined ? null : controllers.workload(controllers.workloadOf(pod));
      const needed = workload?.minAvailable ?? 0;
      if (pod === undefined || needed === 0) {
        return;
      }
      const going = new Set(leaving.map(keyOf));
      const left = api.pods
        .values()
        .filter((one) => serves(one) && one.controller?.uid === pod.controller?.uid && !going.has(keyOf(one)))
        .reduce((count) => count + 1, 0);
      if (left < needed) {
        violate(`${[...going].join(', ')} ${how}, and ${left} others serve: ${needed} are to be available`);
      }
    };
    api.watch({
      pod: (pod, before) => {
        if (before !== null && serves(before) && pod.deletedAt !== null) {
          check([pod], 'is evicted');
        }
      },
    });
    return {
      event: (event) => {
        const ends = event.kind === 'InstanceTerminated' || (event.kind === 'HookEnded' && event.how === 'completed');
        if (ends && event.node !== null && !isAtItsEnd(stage, event.instance, event.at)) {
          const lost = [...api.pods.values()].filter(
            (pod) => pod.nodeName === event.node && serves(pod) && !isDaemon(pod) && !isFinished(pod),
          );
          for (const pods of Map.groupBy(lost, ({ controller }) => controller?.uid).values()) {
            check(pods, `ends with its instance ${event.instance}`);
          }
        }
      },
    };
  },
};

const serves = ({ ready, deletedAt }: Pod): boolean => ready && deletedAt === null;
