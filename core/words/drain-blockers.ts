import type { DrainFailure } from '../model/drain.ts';
import type { DrainBlocker } from '../model/drain-blocker.ts';
import { formatDuration } from '../model/values/time.ts';
import type { Words } from './words.ts';

interface BlockerWords extends Words {
  /** The outcome of the drain that is rolled back for it. */
  readonly failure: DrainFailure;
}

const CHECK_PERMISSIONS = 'Check the permissions of Outrigger, and whether the instance is protected from scale-in.';

/** Why a drain cannot go on, and is rolled back. */
export const DRAIN_BLOCKERS: Readonly<Record<DrainBlocker['kind'], BlockerWords>> = {
  NodeGone: {
    failure: 'Gone',
    short: 'the node is gone',
    sentence: 'The node is gone, or another node of the same name has come.',
  },
  InstanceTerminating: {
    failure: 'Gone',
    short: 'its instance is terminating',
    sentence: 'The instance of the node is terminating already.',
  },
  InstanceNotInGroup: {
    failure: 'Gone',
    short: 'its instance is not in its node group',
    sentence: 'The instance of the node is not in its node group any more.',
  },
  Protected: {
    failure: 'NoLongerRemovable',
    short: 'an annotation forbids its removal',
    sentence: 'An annotation of the node forbids its removal by now.',
    advice: 'Remove the annotation when the node may be removed.',
  },
  Unreadable: {
    failure: 'NoLongerRemovable',
    short: 'something on it cannot be read',
    sentence: 'The node, a pod on it, or what such a pod belongs to or mounts cannot be read.',
    advice: 'Correct the object that the message names.',
  },
  MarkersRemoved: {
    failure: 'NoLongerRemovable',
    short: 'its removal markers were taken off',
    sentence: 'The removal markers were taken off the node: it is to be kept.',
    advice: 'If it recurs, see whether another Outrigger with a table of its own removes the same nodes.',
  },
  TakenOver: {
    failure: 'NoLongerRemovable',
    short: 'another drain has taken over',
    sentence: 'Another drain of the same node has taken over.',
  },
  OtherAutoscaler: {
    failure: 'NoLongerRemovable',
    short: 'another autoscaler is removing it',
    sentence: 'Another autoscaler is removing the node: it has a removal taint that is not of Outrigger.',
    advice: 'Let only one autoscaler remove nodes of a node group.',
  },
  DecisionTooOld: {
    failure: 'NoLongerRemovable',
    short: 'the decision is too old',
    sentence: 'Nothing was evicted within 5 minutes of the decision, and the node may be needed by now.',
  },
  GroupGone: { failure: 'NoLongerRemovable', short: 'its node group is gone', sentence: 'The node group is gone.' },
  GroupAtMinimum: {
    failure: 'NoLongerRemovable',
    short: 'node group at minimum',
    sentence: 'The node group is at its minimum size by now.',
    advice: 'Lower the minimum size if the node group may have fewer nodes.',
  },
  PartStays: {
    failure: 'NoLongerRemovable',
    short: 'another node of its group is kept',
    sentence: 'The node group is removed as a whole (zeroOrMaxNodeScaling), and another node of it is kept.',
    advice: 'See why the other node is kept.',
  },
  PodBlocks: {
    failure: 'NoLongerRemovable',
    short: 'blocked by a pod',
    sentence: 'A pod of the node must not be evicted by now. The message says why.',
    advice: 'See why a pod blocks its node.',
  },
  PodMustComplete: {
    failure: 'NoLongerRemovable',
    short: 'a pod must complete first',
    sentence:
      'A pod has come that must complete first: cluster-autoscaler.kubernetes.io/safe-to-evict is "on-completion".',
  },
  PodArrived: {
    failure: 'NoLongerRemovable',
    short: 'a pod has come',
    sentence: 'A pod has come to a node that was to be removed as an empty one, or after its pods were gone.',
  },
  TaintNotSeen: {
    failure: 'FailedToMarkToBeDeleted',
    short: 'the taint was not seen on the node',
    sentence: 'The taint was not seen on the node in time.',
    advice: 'Check that Outrigger may patch nodes, and which admission webhook changes or refuses them.',
  },
  PodNotEvicted: {
    failure: 'FailedToEvictPods',
    short: 'a pod was not evicted in time',
    sentence: 'A pod was not evicted before maxPodEvictionTime was over. The message has the last refusal.',
    advice: 'Check the PodDisruptionBudget of the pod, or the admission webhook that the message names.',
  },
  PodStillThere: {
    failure: 'FailedToEvictPods',
    short: 'a pod did not end in time',
    sentence: 'A pod was evicted, and is still there after its grace period and 30 seconds.',
    advice: 'Check the finalizers of the pod, and whether the kubelet of the node still reports.',
  },
  NodeNotEmpty: {
    failure: 'FailedToEvictPods',
    short: 'the node is not empty in time',
    sentence: 'Pods are left on the node after the longest time that evictions may take.',
    advice: 'Check which pods come to the node in spite of its taint.',
  },
  InstanceUnknown: {
    failure: 'InternalError',
    short: 'the state of the instance is not known',
    sentence: 'What state the instance is in could not be found out in time.',
    advice: 'Check the permissions of Outrigger and the network path to AWS or to the API server of Cluster API.',
  },
  TerminationRefused: {
    failure: 'FailedToDelete',
    short: 'the termination was refused',
    sentence: 'The termination of the instance was refused.',
    advice: CHECK_PERMISSIONS,
  },
  TerminationUnanswered: {
    failure: 'FailedToDelete',
    short: 'no termination in time',
    sentence: 'The termination of the instance was not accepted in time.',
    advice: CHECK_PERMISSIONS,
  },
  TerminationNotSeen: {
    failure: 'FailedToDelete',
    short: 'the instance is still in service',
    sentence: 'The termination was accepted, and the instance is still in service.',
    advice: 'See the scaling activities of the Auto Scaling group, or the conditions of the Machine.',
  },
  TimeUp: {
    failure: 'InternalError',
    short: 'the longest time is over',
    sentence: 'The drain has not ended within the longest time that a drain may take.',
    advice: 'Check in the log what it has waited for.',
  },
  Paused: {
    failure: 'NoLongerRemovable',
    short: 'paused',
    sentence: 'Scale-down is paused, and drains are canceled or the node was not tainted yet.',
    advice: 'Resume it by outrigger resume (docs/pause.md).',
  },
  Unobservable: {
    failure: 'InternalError',
    short: 'the node could not be checked',
    sentence: 'The node, its pods or their budgets could not be read for 15 minutes.',
    advice: 'Correct what the message names.',
  },
  TooLargeToStore: {
    failure: 'InternalError',
    short: 'too many pods to remember',
    sentence: 'What has to be kept of the evicted pods is too large to be stored.',
  },
};

/** Details of the reason that blocks a drain, without the name of the pod: a part of a sentence. */
export function blockerText(blocker: DrainBlocker): string {
  const { short } = DRAIN_BLOCKERS[blocker.kind];
  switch (blocker.kind) {
    case 'Protected':
      return blocker.annotation;
    case 'Paused':
      return blocker.pause;
    case 'Unreadable':
      return blocker.what;
    case 'DecisionTooOld':
      return `it was decided ${formatDuration(blocker.age)} ago, and the node may be needed by now`;
    case 'GroupGone':
      return `node group ${blocker.group} is gone`;
    case 'GroupAtMinimum':
      return `node group ${blocker.group} is at its minimum of ${blocker.min}`;
    case 'PartStays':
      return blocker.node === null ? short : `node ${blocker.node} of its group is kept, and they are removed together`;
    case 'PodBlocks':
      return `${blocker.reason}: ${blocker.message}`;
    case 'PodMustComplete':
      return 'the node must wait until it has completed';
    case 'PodArrived':
      return 'it is on the node by now';
    case 'TaintNotSeen':
    case 'TerminationRefused':
    case 'TerminationUnanswered':
      return blocker.trouble ?? short;
    case 'PodNotEvicted':
      return `not evicted in ${formatDuration(blocker.after)}: ${blocker.refusal ?? 'no answer'}`;
    case 'PodStillThere':
      return `still there ${formatDuration(blocker.after)} after its eviction`;
    case 'NodeNotEmpty':
      return `the node is not empty after ${formatDuration(blocker.after)}`;
    case 'TimeUp':
      return `it has not ended in ${formatDuration(blocker.after)}`;
    case 'Unobservable':
      return `it could not be checked for ${formatDuration(blocker.after)}: ${blocker.trouble}`;
    case 'TooLargeToStore':
      return `what has to be kept of ${blocker.pods} evicted pods is too large to be stored`;
    case 'NodeGone':
    case 'InstanceTerminating':
    case 'InstanceNotInGroup':
    case 'MarkersRemoved':
    case 'TakenOver':
    case 'OtherAutoscaler':
    case 'InstanceUnknown':
    case 'TerminationNotSeen':
      return short;
  }
}
