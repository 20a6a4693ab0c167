import type { Options } from '../options.ts';
import { rememberedOf } from '../values/remembered.ts';
import type { Pod } from './pod.ts';

/** Pods of so low a priority make room for others: they count neither as pending nor on the nodes they run on. */
export const isExpendable = ({ spec }: Pod, options: Options): boolean =>
  spec.priority !== null && spec.priority < options.expendablePodsPriorityCutoff;

/** The others: the very same list where no pod is expendable, as is the rule. */
export function withoutExpendable(pods: readonly Pod[], options: Options): readonly Pod[] {
  const lowest = lowestPriority(pods);
  return lowest !== null && lowest < options.expendablePodsPriorityCutoff
    ? pods.filter((pod) => !isExpendable(pod, options))
    : pods;
}

/** The pods that `withoutExpendable` leaves out. */
export function expendableAmong(pods: readonly Pod[], options: Options): readonly Pod[] {
  const lowest = lowestPriority(pods);
  return lowest !== null && lowest < options.expendablePodsPriorityCutoff
    ? pods.filter((pod) => isExpendable(pod, options))
    : [];
}

/** `null` where no pod has a priority. */
const lowestPriority = rememberedOf((pods: readonly Pod[]): number | null => {
  let lowest: number | null = null;
  for (const { spec } of pods) {
    if (spec.priority !== null && (lowest === null || spec.priority < lowest)) {
      lowest = spec.priority;
    }
  }
  return lowest;
});
