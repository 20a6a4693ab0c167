import { isAtItsEnd } from '../deadlines.ts';
import { watchLatePods } from '../left-behind.ts';
import { isExpendable } from '../../../core/model/cluster/expendable.ts';
import { isDaemon, isFinished, keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import { neededOf } from '../../../simulation/cluster/disruption-controller.ts';
import type { Workload } from '../../../simulation/cluster/workload.ts';
import type { Invariant } from './invariant.ts';

/**
 * No pod that serves is taken away below its workload's budget: whenever one is asked to go, or loses its node since the
 * node's instance is ended by name, as many others serve as are to be available. Counted pod by pod, and not as the budget
 * itself says. The API server would refuse the former; nothing but Outrigger's care prevents the latter, until the end that
 * the cloud has announced for the instance. A lifecycle hook that is completed ends it as well.
 */
export const budgetsKept: Invariant = {
  name: 'no eviction beyond a budget',
  watch: (stage, violate, count) => {
    const { api, controllers } = stage.world;
    /** The API server lets go what the status allows, and the disruption controller has not seen yet that others do not serve. */
    const isStatusBehind = ({ namespace, name }: Workload, healthy: number): boolean =>
      api.budgets().some((one) => one.namespace === namespace && one.name === name && one.currentHealthy > healthy);
    const late = watchLatePods(stage);
    /** By the taint eviction controller and the scheduler, which ask no budget, or do not heed it. */
    const takenAway = new Set<string>();
    /** @param leaving the pods of one workload that go at the same time. */
    const check = (leaving: readonly Pod[], how: string): void => {
      const [pod] = leaving;
      const workload = pod === undefined ? null : controllers.workload(controllers.workloadOf(pod));
      const needed = workload === null ? 0 : (neededOf(workload) ?? 0);
      if (pod === undefined || workload === null || needed === 0) {
        return;
      }
      const going = new Set(leaving.map(keyOf));
      const left = api.pods
        .values()
        .filter((one) => serves(one) && one.controller?.uid === pod.controller?.uid && !going.has(keyOf(one)))
        .reduce((count) => count + 1, 0);
      const isBehind = how === EVICTED && isStatusBehind(workload, left + 1);
      count(!isBehind);
      if (left < needed && !isBehind) {
        violate(`${[...going].join(', ')} ${how}, and ${left} others serve: ${needed} are to be available`);
      }
    };
    api.watch({
      pod: (pod, before) => {
        if (before !== null && serves(before) && pod.deletedAt !== null && !takenAway.delete(pod.uid)) {
          check([pod], EVICTED);
        }
      },
    });
    return {
      event: (event) => {
        late.event(event);
        if (event.kind === 'PodTakenAway' || event.kind === 'PodPreempted') {
          takenAway.add(api.pods.get(event.pod)!.uid);
        }
        const ends = event.kind === 'InstanceTerminated' || (event.kind === 'HookEnded' && event.how === 'completed');
        if (ends && event.node !== null && !isAtItsEnd(stage, event.instance, event.at)) {
          const lost = [...api.pods.values()].filter(
            (pod) =>
              pod.nodeName === event.node &&
              serves(pod) &&
              !isDaemon(pod) &&
              !isFinished(pod) &&
              !isExpendable(pod, stage.scenario.options) &&
              !late.has(pod),
          );
          for (const pods of Map.groupBy(lost, ({ controller }) => controller?.uid).values()) {
            check(pods, `ends with its instance ${event.instance}`);
          }
        }
      },
    };
  },
};

const EVICTED = 'is evicted';

const serves = ({ ready, deletedAt }: Pod): boolean => ready && deletedAt === null;
