import type { ScaleUpResult } from '../../model/decision.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import { isReady } from '../../registry/readiness.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Demand } from '../../estimator/demand.ts';
import { scaleUpCooldown } from './pending.ts';

/** Why no group is estimated at all. */
export interface Refusal {
  readonly result: Extract<ScaleUpResult, 'ClusterUnhealthy' | 'NotTried' | 'Limited' | 'Cooldown'>;
  /** In words. */
  readonly reason: string;
}

/**
 * Why no group is estimated; `null` when they are, or when no pod is left that wants a node. An unhealthy cluster says
 * so in either case.
 *
 * @param left the pods that fit nowhere.
 */
export function refusalOf(
  { objects, options, now }: Scenario,
  registry: Registry,
  snapshot: Snapshot,
  left: readonly Demand[],
): Refusal | null {
  if (!registry.report.clusterHealthy) {
    return { result: 'ClusterUnhealthy', reason: 'the cluster is unhealthy' };
  }
  if (left.length === 0) {
    return null;
  }
  if (!options.scaleUpFromZero && !objects.nodes.some((node) => isReady(node, options))) {
    return { result: 'NotTried', reason: 'the cluster has no ready node, and scaleUpFromZero is off' };
  }
  if (options.maxNodesTotal > 0 && snapshot.nodeCount >= options.maxNodesTotal) {
    return { result: 'Limited', reason: 'max total nodes in cluster reached' };
  }
  const cooldown = scaleUpCooldown(left, options, now);
  return cooldown === null ? null : { result: 'Cooldown', reason: cooldown };
}
