import type { Labels } from './selectors.ts';

/** Name the ProvisioningRequest, of its own namespace, whose room a pod is for. The second is deprecated. */
export const CONSUME_ANNOTATIONS = [
  'autoscaling.x-k8s.io/consume-provisioning-request',
  'cluster-autoscaler.kubernetes.io/consume-provisioning-request',
] as const;

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** A 32-bit integer without a plus sign and leading zeros. */
const INT32 = /^(?:0|-?[1-9]\d{0,9})$/;

/** The cost by which controllers of pods delete those with lower values first; 0 for any other value, as the controllers read it. */
export function deletionCostOf({ annotations }: { readonly annotations: Labels }): number {
  const text = annotations[DELETION_COST] ?? '';
  const cost = INT32.test(text) ? Number(text) : 0;
  return cost === (cost | 0) ? cost : 0;
}

/** Annotations of pods that decisions read. The others have no effect. */
export const READ_ANNOTATIONS = [
  ...CONSUME_ANNOTATIONS,
  'cluster-autoscaler.kubernetes.io/daemonset-pod',
  'cluster-autoscaler.kubernetes.io/enable-ds-eviction',
  'cluster-autoscaler.kubernetes.io/pod-scale-up-delay',
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
  'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes',
  DELETION_COST,
  'karpenter.sh/do-not-disrupt',
  'karpenter.sh/do-not-evict',
  'kubernetes.io/config.mirror',
  'node-lifecycle.kubernetes.io/do-not-disrupt',
  'outrigger.dev/atomic',
] as const;
