import type { PodOutcomeKind, ScaleDownDecision, ScaleUpResult } from '../model/decision.ts';
import type { Words } from './words.ts';

/** The outcomes of a pending pod. */
export const POD_OUTCOMES: Readonly<Record<PodOutcomeKind, Words>> = {
  Triggered: {
    short: 'triggered scale-up',
    sentence: 'The pod triggered a scale-up: a new node of the node group will hold it.',
  },
  Awaiting: {
    short: 'waits for a later decision',
    sentence: 'A node group could hold the pod, but a limit is reached for now or another decision comes first.',
  },
  Unschedulable: {
    short: "didn't trigger scale-up",
    sentence: 'No node group can hold the pod. The reasons say why, group by group.',
    advice: 'Lower the requests of the pod, relax its constraints, add a node group, or see why groups may not grow.',
  },
  UnexpectedError: {
    short: 'unexpected error',
    sentence: 'An unexpected error occurred while the pod was considered. The other pods are considered without it.',
    advice: 'Report the error as a bug.',
  },
  Fits: { short: 'fits', sentence: 'The pod fits on an existing or upcoming node.' },
  Ignored: {
    short: 'causes no scale-up',
    sentence:
      "The pod causes no scale-up: it is a DaemonSet's, its priority is below expendablePodsPriorityCutoff, it is younger than its scale-up delay, or its scheduler is not among allowedSchedulerNames.",
  },
};

/** How scale-up of an evaluation ends. */
export const SCALE_UP_RESULTS: Readonly<Record<ScaleUpResult, Words>> = {
  NotEvaluated: {
    short: 'scale-up not evaluated',
    sentence: 'The decision is that of scale-down alone; scale-up is decided by itself.',
  },
  ScaledUp: { short: 'node groups grow', sentence: 'Node groups grow.' },
  NotNeeded: { short: 'no pod needs a new node', sentence: 'No pod needs a new node.' },
  NoOptions: {
    short: 'no node group can grow to help',
    sentence: 'Pods need a node, and no node group can grow to give them one.',
    advice: 'See why pods did not trigger a scale-up, and why node groups were skipped.',
  },
  Limited: {
    short: 'max total nodes in cluster reached',
    sentence: 'The cluster has as many nodes as maxNodesTotal allows.',
    advice: 'Raise maxNodesTotal if the cluster may have more nodes.',
  },
  Cooldown: {
    short: 'too early to decide',
    sentence:
      'All pods that need a node are younger than unschedulablePodTimeBuffer: more are likely to come, and all are decided together.',
  },
  ClusterUnhealthy: {
    short: 'the cluster is unhealthy',
    sentence: 'Too many nodes of the cluster are not ready, so that nothing is added.',
    advice: 'Find out why nodes are not ready, or raise okTotalUnreadyCount or maxTotalUnreadyPercentage.',
  },
  NotTried: {
    short: 'no ready node to scale up from',
    sentence: 'The cluster has no ready node, and scaleUpFromZero is off.',
    advice: 'Turn scaleUpFromZero on, or find out why no node is ready.',
  },
  UnexpectedError: {
    short: 'unexpected error',
    sentence: 'An unexpected error stopped scale-up.',
    advice: 'Report the error as a bug.',
  },
};

/** How scale-down of an evaluation ends. */
export const SCALE_DOWN_RESULTS: Readonly<Record<ScaleDownDecision['result'], Words>> = {
  NotEvaluated: {
    short: 'scale-down not evaluated',
    sentence: 'The decision is that of scale-up alone; scale-down is decided by itself.',
  },
  Planned: { short: 'nodes are removed', sentence: 'Nodes are removed.' },
  Nothing: { short: 'no node to remove', sentence: 'No node can be removed.', advice: 'See why nodes are kept.' },
  Cooldown: {
    short: 'too early to remove a node',
    sentence:
      'A scale-up, a removal or a failed removal is more recent than scaleDownDelayAfterAdd, scaleDownDelayAfterDelete or scaleDownDelayAfterFailure. Or pods have just come that may need a node.',
  },
  Disabled: {
    short: 'scale-down is off',
    sentence: 'Scale-down is off (option scaleDownEnabled).',
    advice: 'Turn scaleDownEnabled on if nodes are to be removed.',
  },
  ClusterUnhealthy: {
    short: 'the cluster is unhealthy',
    sentence: 'Too many nodes of the cluster are not ready, so that nothing is removed.',
    advice: 'Find out why nodes are not ready, or raise okTotalUnreadyCount or maxTotalUnreadyPercentage.',
  },
  UnexpectedError: {
    short: 'unexpected error',
    sentence: 'An unexpected error stopped scale-down.',
    advice: 'Report the error as a bug.',
  },
};
