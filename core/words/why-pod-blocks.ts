import type { BlockingReason } from '../model/decision.ts';
import type { Words } from './words.ts';

/** Why a pod must not be evicted, and its node stays. */
export const WHY_POD_BLOCKS = {
  ControllerNotFound: {
    short: 'its controller does not exist',
    sentence: 'The controller of the pod does not exist, so that nothing would create the pod again.',
    advice: 'Delete the pod, or create its controller again.',
  },
  MinReplicasReached: {
    short: 'fewer replicas than minReplicaCount',
    sentence: 'The controller of the pod has fewer replicas than minReplicaCount.',
    advice: 'Raise the number of replicas, or lower minReplicaCount.',
  },
  NotReplicated: {
    short: 'not replicated',
    sentence: 'The pod has no controller of a kind that is known to create pods again.',
    advice:
      'Run the pod by a controller such as a Deployment, or annotate it with cluster-autoscaler.kubernetes.io/safe-to-evict: "true".',
  },
  LocalStorageRequested: {
    short: 'has local storage',
    sentence: 'The pod has a volume on the disk of the node (emptyDir or hostPath).',
    advice:
      'Name the volumes that may be lost in the annotation cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes, or turn skipNodesWithLocalStorage off.',
  },
  NotSafeToEvictAnnotation: {
    short: 'annotated as not safe to evict',
    sentence: 'The pod has the annotation cluster-autoscaler.kubernetes.io/safe-to-evict: "false".',
    advice: 'Remove the annotation when the pod may be evicted.',
  },
  UnmovableKubeSystemPod: {
    short: 'kube-system pod without a budget',
    sentence:
      'The pod is in kube-system, no PodDisruptionBudget covers it, and it is younger than blockingSystemPodDistruptionTimeout.',
    advice: 'Create a PodDisruptionBudget for it, or turn skipNodesWithSystemPods off.',
  },
  NotEnoughPdb: {
    short: 'no disruption allowed by its budget',
    sentence: 'A PodDisruptionBudget or the PodGroup allows no disruption of the pod now.',
    advice: 'Check that the workload is healthy, and that its budget allows a disruption when it is.',
  },
  DoNotDisrupt: {
    short: 'annotated as do-not-disrupt',
    sentence:
      'An annotation of the pod forbids its disruption: karpenter.sh/do-not-disrupt, node-lifecycle.kubernetes.io/do-not-disrupt or karpenter.sh/do-not-evict.',
    advice: 'Remove the annotation when the pod may be evicted.',
  },
  JobRunning: {
    short: 'of a Job that has run for a while',
    sentence:
      'The pod belongs to a Job and has run for longer than jobProtectionAge. Evicted, it would start again from the beginning.',
    advice:
      'Wait for the end of the Job, annotate the pod with cluster-autoscaler.kubernetes.io/safe-to-evict: "true" if the Job keeps its progress, or change jobProtectionAge.',
  },
  UnexpectedError: {
    short: 'a drain rule failed',
    sentence: 'A drain rule failed with an unexpected error: what it would have decided is not known.',
    advice: 'Report the error as a bug.',
  },
} satisfies Record<BlockingReason, Words>;
