import type { Pod } from '../../model/cluster/pod.ts';
import { deletionCostOf } from '../../model/cluster/read-annotations.ts';

/**
 * How much it matters that a pod is evicted: 1 for an ordinary one, from -10 to 10 by its priority and its
 * `pod-deletion-cost`. Follows Karpenter's `EvictionCost`.
 */
export const evictionCost = (pod: Pod): number =>
  Math.min(10, Math.max(-10, 1 + deletionCostOf(pod) / 2 ** 27 + (pod.spec.priority ?? 0) / 2 ** 25));

/** The cost of evicting all pods that leave a node: 1 for an empty node. Follows Karpenter's `RescheduleDisruptionCost`. */
export const disruptionCost = (pods: readonly Pod[]): number =>
  pods.reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 1);
