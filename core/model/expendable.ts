import type { Options } from './options.ts';
import type { Pod } from './pod.ts';

/** Pods of so low a priority make room for others: they count neither as pending nor on the nodes they run on. */
export const isExpendable = ({ spec }: Pod, options: Options): boolean =>
  spec.priority !== null && spec.priority < options.expendablePodsPriorityCutoff;
