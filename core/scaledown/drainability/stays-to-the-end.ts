import type { Pod } from '../../model/cluster/pod.ts';
import { DISRUPTING_TAINT } from '../../model/cluster/removal-taints.ts';
import type { Options } from '../../model/options.ts';
import { tolerates } from '../../scheduling/tolerations.ts';

/**
 * Is the pod to stay on its node until the instance ends? The shared taint says to pods that tolerate it that they may;
 * Karpenter's `IsDrainable` takes it so. Cluster Autoscaler's own taint says nothing of that kind.
 */
export const staysToTheEnd = ({ spec }: Pod, { nodeLifecycleTaints }: Options): boolean =>
  nodeLifecycleTaints && spec.tolerations.some((toleration) => tolerates(toleration, DISRUPTING_TAINT));
