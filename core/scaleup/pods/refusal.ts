import type { ScaleUpResult } from '../../model/decision.ts';
import { gpusIn } from '../../model/cluster/gpu.ts';
import type { Options } from '../../model/options.ts';
import { ageReachedAt } from '../../model/pod-wait.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { type DurationMs, type EpochMs, formatDuration } from '../../model/values/time.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import { isReady } from '../../registry/readiness.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Demand } from '../../estimator/demand.ts';

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
  return mapOptional(scaleUpCooldown(left, options, now), (reason) => ({ result: 'Cooldown', reason }));
}

/**
 * Why it is too early to launch anything, in words; `null` when it is not. Pods that are brand-new are waited out once, as
 * more often follow and one decision for all of them is a better one; for GPUs, which are dear, rather
 * longer. The oldest pod counts: a steady trickle of new ones holds nothing up.
 *
 * Follows Cluster Autoscaler's `allPodsAreNew`, down to pods without a GPU that wait for those with one.
 *
 * @param demands the pods that fit nowhere.
 */
function scaleUpCooldown(demands: readonly Demand[], options: Options, now: EpochMs): string | null {
  if (options.bypassedSchedulerNames.length > 0) {
    return null;
  }
  const areNew = (of: readonly Demand[], buffer: DurationMs): boolean =>
    of.length > 0 && of.every(({ pods }) => pods.every((pod) => ageReachedAt(pod, buffer, now) !== null));
  const { unschedulablePodTimeBuffer, unschedulablePodWithGpuTimeBuffer } = options;
  if (areNew(demands, unschedulablePodTimeBuffer)) {
    return `all pods that want a node are younger than unschedulablePodTimeBuffer ${formatDuration(unschedulablePodTimeBuffer)}`;
  }
  const withGpu = demands.filter(({ kind }) => gpusIn(kind.requests) > 0);
  if (areNew(withGpu, unschedulablePodWithGpuTimeBuffer)) {
    return `all pods that want a GPU are younger than unschedulablePodWithGpuTimeBuffer ${formatDuration(unschedulablePodWithGpuTimeBuffer)}`;
  }
  return null;
}
