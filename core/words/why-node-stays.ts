import type { BlockingReason, Unremovable, UnremovableReason } from '../model/decision.ts';
import type { Words } from './words.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';

/** Why a node is not removed. */
export const WHY_NODE_STAYS: Readonly<Record<UnremovableReason, Words>> = {
  CurrentlyBeingDeleted: {
    short: 'being removed',
    sentence: 'The node is being removed already, or has a taint that says so and is younger than 5 minutes.',
  },
  NotAutoscaled: {
    short: 'in no node group',
    sentence: 'The node is in no node group that Outrigger scales.',
    advice: 'Tag its Auto Scaling group, or annotate its resource of Cluster API, if Outrigger is to scale it.',
  },
  NodeGroupScaleDownDisabled: {
    short: 'scale-down is off for the node group',
    sentence: 'Scale-down is off for the node group (option scaleDownEnabled).',
    advice:
      'Turn it on for the node group, by the tag k8s.io/cluster-autoscaler/node-template/autoscaling-options/scaledownenabled.',
  },
  NodeGroupUpdating: {
    short: 'node group being updated, or paused',
    sentence:
      'EKS is updating the managed node group, an instance refresh is replacing the instances, or Cluster API is rolling out the resource. Nodes are added and terminated without Outrigger. Or the resource, its cluster or one of its Machines is paused.',
  },
  ZonalShift: {
    short: 'its zone is shifted away from',
    sentence:
      'Traffic of the cluster or of the node group is shifted away from the zone of the node (ARC zonal shift). The zone has its whole capacity when traffic returns.',
  },
  Paused: {
    short: 'paused',
    sentence: 'Scale-down is paused: the message says by what, and until when.',
    advice: 'Resume it by outrigger resume, or take off what the message names (docs/pause.md).',
  },
  NodeGroupMinSizeReached: {
    short: 'node group at minimum',
    sentence:
      'The node group is at its minimum size, or will be when the nodes that are removed before this one are gone.',
    advice: 'Lower the minimum size if the node group may have fewer nodes.',
  },
  RecentlyUnremovable: {
    short: 'checked a short time ago',
    sentence:
      'Within the last unremovableNodeRecheckTimeout a pod of the node did not fit on another node or blocked the removal, or the removal failed. The message names a pod that blocks it now.',
  },
  ScaleDownDisabledAnnotation: {
    short: 'an annotation forbids its removal',
    sentence:
      'An annotation of the node forbids its removal: cluster-autoscaler.kubernetes.io/scale-down-disabled, karpenter.sh/do-not-disrupt or node-lifecycle.kubernetes.io/do-not-disrupt.',
    advice: 'Remove the annotation when the node may be removed.',
  },
  ScaleDownUnreadyDisabled: {
    short: 'not ready, and unready nodes are kept',
    sentence: 'The node is not ready, and scaleDownUnreadyEnabled is off.',
    advice: 'Find out why the node is not ready, or turn scaleDownUnreadyEnabled on.',
  },
  NotUnderutilized: {
    short: 'in use',
    sentence:
      'More of the node is requested than scaleDownUtilizationThreshold allows (scaleDownGpuUtilizationThreshold for a node with GPUs).',
    advice: 'Lower the requests of pods that use less than they request, or raise the threshold.',
  },
  BlockedByPod: {
    short: 'blocked by a pod',
    sentence: 'A pod of the node must not be evicted. Its own reason says why.',
    advice: 'See why a pod blocks its node.',
  },
  NoPlaceToMovePods: {
    short: 'no place to move its pods',
    sentence: 'A pod of the node fits on no other node.',
    advice: 'If the pod should fit, check its requests, affinity and topology spread constraints.',
  },
  NotUnneededOtherReason: {
    short: 'needed for now',
    sentence:
      'The message says which of these holds. Pods are expected on the node, it is starting, or it was added after a replacement began. Its node group keeps as many unneeded nodes as it awaits, or does not have the requested size. Or there was no need to check the node.',
  },
  NotUnneededLongEnough: {
    short: 'unneeded, but not for long enough',
    sentence: 'The node is unneeded, but has not been for longer than scaleDownUnneededTime.',
  },
  NotUnreadyLongEnough: {
    short: 'unready, but not for long enough',
    sentence: 'The node is unneeded and not ready, but has not been unneeded for longer than scaleDownUnreadyTime.',
  },
  BlockedByOnCompletionPod: {
    short: 'waits for a pod to complete',
    sentence:
      'A pod of the node must complete first: its cluster-autoscaler.kubernetes.io/safe-to-evict is "on-completion", or it is of a Job and has run for longer than jobProtectionAge. New pods avoid the node meanwhile.',
  },
  MinimalResourceLimitExceeded: {
    short: 'minimal cluster limit reached',
    sentence: 'Without the node the cluster would be below the minimum of coresTotal, memoryTotal or gpuTotal.',
    advice: 'Lower the minimum if the cluster may be smaller.',
  },
  AtomicScaleDownFailed: {
    short: 'its group cannot be removed as a whole',
    sentence: 'The node group is removed as a whole (zeroOrMaxNodeScaling), and another node of it is kept.',
    advice: 'See why the other nodes of the node group are kept.',
  },
  ReplacementPending: {
    short: 'waits for its replacement',
    sentence: 'The node is to be replaced, and not all of its pods have capacity on other ready nodes.',
  },
  NodeGroupMaxDeletionCountReached: {
    short: 'max nodes are being removed',
    sentence: 'As many nodes are being removed as maxScaleDownParallelism and maxDrainParallelism allow at a time.',
  },
  DisruptionBudgetReached: {
    short: 'held by a disruption budget',
    sentence:
      'As many nodes are unavailable as a disruption budget of the cluster or the node group allows, or it allows none. Nodes that are removed, not ready or about to be replaced are unavailable. The message names the budget and its end.',
    advice: 'Wait for the end that the message names, or change disruptionBudgets.',
  },
  DisruptionBudgetUnreadable: {
    short: 'a disruption budget cannot be read',
    sentence:
      'A disruption budget of the cluster or the node group cannot be read. No node is removed until it is corrected: the budget may be meant to prevent the removal.',
    advice: 'Correct the tag, the annotation or the option that the message names.',
  },
  Unreadable: {
    short: 'something on it cannot be read',
    sentence:
      'An object on the node, or about it, cannot be read: what the node has free, and what its removal would end, is not known.',
    advice: 'Correct the object that the message names.',
  },
  UnexpectedError: {
    short: 'unexpected error',
    sentence: 'The node could not be checked. The message says what is wrong.',
    advice: 'Correct what the message names. An error of the program should be reported as a bug.',
  },
};

/** Why this node stays, as exactly as is known: `pod default/web-1: … is "false"`. Without the name of the node. */
export const whyNodeStays = (
  { reason, pod, message }: Pick<Unremovable, 'reason' | 'pod' | 'message'>,
  podName: (pod: string) => string = (name) => name,
): string => {
  const blocking = mapOptional(pod, (name) => `pod ${podName(name)}`);
  return presentItems([blocking, message ?? WHY_NODE_STAYS[reason].short]).join(': ');
};

/** The same with the reason of the pod that keeps it: `pod default/web-1: … is "false" (NotSafeToEvictAnnotation)`. */
export const whyNodeStaysInFull = (one: Pick<Unremovable, 'reason' | 'pod' | 'message' | 'podReason'>): string =>
  withPodReason(whyNodeStays(one), one.podReason);

export const withPodReason = (why: string, podReason: BlockingReason | null | undefined): string =>
  podReason == null ? why : `${why} (${podReason})`;
