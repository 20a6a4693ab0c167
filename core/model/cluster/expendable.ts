import type { Options } from '../options.ts';
import type { Pod } from './pod.ts';

/** Pods of so low a priority make room for others: they count neither as pending nor on the nodes they run on. */
export const isExpendable = ({ spec }: Pod, options: Options): boolean =>
  spec.priority !== null && spec.priority < options.expendablePodsPriorityCutoff;

/** The others: the very same list where no pod is expendable, as is the rule. */
export const withoutExpendable = (pods: readonly Pod[], options: Options): readonly Pod[] =>
  pods.some((pod) => isExpendable(pod, options)) ? pods.filter((pod) => !isExpendable(pod, options)) : pods;
