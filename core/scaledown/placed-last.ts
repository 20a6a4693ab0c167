import { expendableAmong } from '../model/cluster/expendable.ts';
import { removalTaint } from '../model/cluster/removal-taints.ts';
import type { Scenario } from '../model/scenario.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { epochMs } from '../model/values/time.ts';
import { tolerates } from '../scheduling/tolerations.ts';

/** Why such pods of a node that goes find their places when all others of it have theirs; `null`: they do not. */
export type PlacedLast = (kind: Pick<PodKind, 'spec'>) => 'StaysToTheEnd' | 'NeverPreempts' | null;

/**
 * Tells the pods that may get what the others of their node leave:
 *
 * - those that tolerate the taint of the removal: the shared taint says that they may stay until the instance ends, and past Cluster
 *   Autoscaler's kube-scheduler may put them back on the node;
 * - beside expendable pods, those that never preempt: the others take free room where there is some, and make room only where there is
 *   none. Such a pod has its place before those that are evicted after it.
 */
export function placedLast({ objects, options }: Pick<Scenario, 'objects' | 'options'>): PlacedLast {
  const taint = removalTaint(options, ANY_TIME);
  const hasExpendable = expendableAmong(objects.pods, options).length > 0;
  return ({ spec }) =>
    spec.tolerations.some((toleration) => tolerates(toleration, taint))
      ? 'StaysToTheEnd'
      : hasExpendable && spec.preemptionPolicy === 'Never'
        ? 'NeverPreempts'
        : null;
}

/** The time in the value of a taint decides nothing: a toleration that names one is for no other removal. */
const ANY_TIME = epochMs(0);
