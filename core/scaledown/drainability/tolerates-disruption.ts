import type { Pod } from '../../model/cluster/pod.ts';
import { DISRUPTING_TAINT } from '../../model/cluster/removal-taints.ts';
import type { Options } from '../../model/options.ts';
import { tolerates } from '../../scheduling/tolerations.ts';

/**
 * Is the pod to stay on its node until the instance ends? Pods that tolerate the shared taint may; Karpenter's
 * `IsDrainable` reads the taint so. Cluster Autoscaler's own taint has no such meaning.
 */
export const toleratesDisruption = ({ spec }: Pod, { nodeLifecycleTaints }: Options): boolean =>
  nodeLifecycleTaints && spec.tolerations.some((toleration) => tolerates(toleration, DISRUPTING_TAINT));
