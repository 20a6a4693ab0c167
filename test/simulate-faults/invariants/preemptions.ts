import { keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { unitsOf } from '../truth.ts';

/**
 * Tells of a pod that makes room for another one whether that is now more than the other one takes: how much is left is not known before all of
 * it is gone. It is told once for each preemption. A pod that does not get the room that was made for it preempts others later.
 */
export function watchPreemptions(): (pod: Pod, by: Pod, at: EpochMs) => boolean {
  const cleared = new Map<string, number>();
  return (pod, by, at) => {
    const preemption = `${keyOf(by)} ${at}`;
    const before = cleared.get(preemption) ?? 0;
    const units = before + unitsOf(pod);
    cleared.set(preemption, units);
    return before <= unitsOf(by) && units > unitsOf(by);
  };
}
