import type { PodReason } from '../../model/decision.ts';
import { keyOf, type Pod } from '../../model/cluster/pod.ts';
import { fairShares, inTurns } from '../../model/values/fair-shares.ts';
import type { State } from '../../model/state.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { LeftOver } from './unschedulable.ts';

/** Why a pod is left to the next evaluation. */
const TIME_USED_UP: PodReason = Object.freeze({
  kind: 'TimeUsedUp',
  reason: 'the time of the evaluation was used up; the next one considers this pod first',
});

/** These pods, left to the next evaluation. */
export const leftForTime = (demands: readonly Demand[]): readonly LeftOver[] =>
  demands.map((demand) => ({ ...demand, awaiting: true, reasons: [TIME_USED_UP] }));

/** No more pods are remembered: namespaces share the number fairly. */
export const MOST_DEFERRED = 200;

/** The pods that the next evaluation considers first; `undefined` where there are none. */
export function deferredIn(left: readonly LeftOver[], pending: readonly Pod[]): readonly string[] | undefined {
  const deferred = left.filter(({ reasons }) => reasons.includes(TIME_USED_UP));
  if (deferred.length === 0) {
    return undefined;
  }
  const known = new Set(pending);
  const rows = deferred.map(({ kind, pods }) => ({
    namespace: kind.namespace,
    pods: pods.filter((pod) => known.has(pod)),
  }));
  const shares = fairShares(
    rows.map(({ namespace, pods }) => ({ namespace, count: pods.length })),
    MOST_DEFERRED,
  );
  const keys: string[] = rows.flatMap(({ pods }, i) => pods.slice(0, shares[i]).map(keyOf));
  return keys.length === 0 ? undefined : keys.sort();
}

/** The demands that the evaluation before had no time for, one of each namespace in turn. */
export function deferredAmong<D extends Demand>(demands: readonly D[], { deferredPods = [] }: State): readonly D[] {
  if (deferredPods.length === 0) {
    return [];
  }
  const keys = new Set<string>(deferredPods);
  const deferred = demands.filter(({ pods }) => pods.some((pod) => keys.has(keyOf(pod))));
  return inTurns(deferred, ({ kind }) => kind.namespace);
}
