import type { DrainFailure, DrainPhase } from '../model/drain.ts';
import type { Words } from './words.ts';

/** The work in each phase of a drain. */
export const DRAIN_PHASES: Readonly<Record<DrainPhase, Words>> = {
  Tainting: {
    short: 'the node is tainted',
    sentence:
      'Taint, cordon, label and annotation go on in one change, which is repeated until the node is seen with them.',
  },
  Validating: {
    short: 'the decision is checked again',
    sentence:
      'The scheduler is given nodeDeleteDelayAfterTaint to see the taint. Then everything is checked again that the decision was made from.',
  },
  Evicting: {
    short: 'pods are evicted',
    sentence: 'Pods are evicted, group by group, and waited for; then their volumes are detached.',
  },
  DeletionDelay: {
    short: 'an annotation delays the termination',
    sentence: 'Annotations delay-deletion.cluster-autoscaler.kubernetes.io/… are waited for.',
  },
  Terminating: {
    short: 'the instance is terminated',
    sentence:
      'After a last check TerminateInstanceInAutoScalingGroup terminates the instance, and lowers the target of the node group. Where pods have come meanwhile, the drain is rolled back; for a notice they are evicted, too, if the announced end leaves time.',
  },
  AwaitingTermination: {
    short: 'the termination is waited for',
    sentence: 'The list of the node group must show the instance as terminating.',
  },
  RollingBack: { short: 'the node is freed again', sentence: 'All removal markers are taken off again.' },
  Removed: { short: 'removed', sentence: 'The instance is terminating, and the node is removed with it.' },
  RolledBack: { short: 'rolled back', sentence: 'The node is kept without removal markers, or was gone already.' },
};

/** Why a drain was rolled back. */
export const WHY_DRAIN_FAILED: Readonly<Record<DrainFailure, Words>> = {
  FailedToMarkToBeDeleted: {
    short: 'failed to taint the node',
    sentence: 'The API server did not accept the taint in time.',
    advice: 'Check that Outrigger may patch nodes, and which admission webhook changes or refuses them.',
  },
  FailedToEvictPods: {
    short: 'failed to evict its pods',
    sentence: 'A pod was not evicted in time, or did not end after its eviction.',
    advice: 'Check the PodDisruptionBudget of the pod, its finalizers, and how long it takes to end.',
  },
  FailedToDelete: {
    short: 'failed to terminate the instance',
    sentence: 'The termination of the instance was refused, or did not happen in time.',
    advice: 'Check the permissions of Outrigger, and whether the instance is protected from scale-in.',
  },
  NoLongerRemovable: {
    short: 'no longer removable',
    sentence: 'What was true when the removal was decided is not true any more. The message says what has changed.',
  },
  Gone: { short: 'gone by itself', sentence: 'The node or its instance was gone before Outrigger terminated it.' },
  InternalError: {
    short: 'could not be completed',
    sentence: 'The node, its pods or its instance could not be read, or the drain took longer than a drain may take.',
    advice: 'Check in the log what could not be read.',
  },
};
