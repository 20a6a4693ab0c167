import type { Options } from '../options.ts';
import { rememberedOf } from '../values/remembered.ts';
import type { Pod } from './pod.ts';

/** Pods of so low a priority make room for others: they count neither as pending nor on the nodes they run on. */
export const isExpendable = ({ spec }: Pod, options: Options): boolean =>
  (spec.priority ?? Infinity) < options.expendablePodsPriorityCutoff;

/** The others: the very same list where no pod is expendable, as is the rule. */
export const withoutExpendable = (pods: readonly Pod[], options: Options): readonly Pod[] =>
  hasExpendable(pods, options) ? pods.filter((pod) => !isExpendable(pod, options)) : pods;

/** The pods that `withoutExpendable` leaves out. */
export const expendableAmong = (pods: readonly Pod[], options: Options): readonly Pod[] =>
  hasExpendable(pods, options) ? pods.filter((pod) => isExpendable(pod, options)) : [];

const hasExpendable = (pods: readonly Pod[], options: Options): boolean =>
  lowestPriority(pods) < options.expendablePodsPriorityCutoff;

/** Infinity where no pod has a priority. */
const lowestPriority = rememberedOf((pods: readonly Pod[]): number => {
  let lowest = Infinity;
  for (const { spec } of pods) {
    lowest = Math.min(lowest, spec.priority ?? Infinity);
  }
  return lowest;
});
