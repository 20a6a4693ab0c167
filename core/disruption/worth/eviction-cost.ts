import type { Pod } from '../../model/cluster/pod.ts';
import { DELETION_COST } from '../../model/cluster/read-annotations.ts';

/** As the ReplicaSet controller reads it; anything else counts as 0. */
const INTEGER = /^(?:0|[+-]?[1-9][0-9]*)$/u;

/**
 * How much it matters that a pod is evicted: 1 for an ordinary one, from -10 to 10 by its priority and its
 * `pod-deletion-cost`. Follows Karpenter's `EvictionCost`.
 */
export function evictionCost({ annotations, spec: { priority } }: Pod): number {
  const text = annotations[DELETION_COST];
  const deletion = text !== undefined && INTEGER.test(text) ? Number(text) : 0;
  return Math.min(10, Math.max(-10, 1 + deletion / 2 ** 27 + (priority ?? 0) / 2 ** 25));
}

/** The cost of evicting all pods that leave a node: 1 for an empty node. Follows Karpenter's `RescheduleDisruptionCost`. */
export const disruptionCost = (pods: readonly Pod[]): number =>
  pods.reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 1);
