import { expendableAmong } from '../model/cluster/expendable.ts';
import { removalTaint } from '../model/cluster/removal-taints.ts';
import type { Scenario } from '../model/scenario.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { epochMs } from '../model/values/time.ts';
import { tolerates } from '../scheduling/tolerations.ts';

/** Why a pod of a node to remove is placed after all other pods of the node; `null`: it is not. */
export type PlacedLast = (kind: Pick<PodKind, 'spec'>) => 'StaysToTheEnd' | 'NeverPreempts' | null;

/**
 * Tells the pods that are placed on the capacity left by the other pods of their node:
 *
 * - pods that tolerate the taint of the removal: the shared taint says that such pods may stay until the instance ends,
 *   and past Cluster Autoscaler's taint kube-scheduler may put them back on the node;
 * - beside expendable pods, pods that never preempt: other pods take free capacity first, and preempt
 *   only where there is none. A pod that never preempts has its place before the pods that are evicted after it.
 */
export function placedLast({ objects, options }: Pick<Scenario, 'objects' | 'options'>): PlacedLast {
  const taint = removalTaint(options, ANY_TIME);
  const hasExpendable = expendableAmong(objects.pods, options).length > 0;
  return ({ spec }) => {
    if (spec.tolerations.some((toleration) => tolerates(toleration, taint))) {
      return 'StaysToTheEnd';
    }
    return hasExpendable && spec.preemptionPolicy === 'Never' ? 'NeverPreempts' : null;
  };
}

/** The time in the value of a taint decides nothing: a toleration of one time is for no other removal. */
const ANY_TIME = epochMs(0);
