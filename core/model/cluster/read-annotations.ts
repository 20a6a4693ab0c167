/** Name the ProvisioningRequest, of its own namespace, whose room a pod is for. The second is deprecated. */
export const CONSUME_ANNOTATIONS = [
  'autoscaling.x-k8s.io/consume-provisioning-request',
  'cluster-autoscaler.kubernetes.io/consume-provisioning-request',
] as const;

/** For the controllers of pods, which delete pods with lower values first. */
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

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
