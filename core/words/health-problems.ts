import type { HealthProblem } from '../model/health-problem.ts';
import { counted } from '../model/values/counted.ts';
import { formatTime } from '../model/values/time.ts';
import { pauseText } from './pause.ts';
import type { Words } from './words.ts';

/** Problems of the cluster, and where to look. */
export const HEALTH_PROBLEMS = {
  ClusterUnhealthy: {
    short: 'the cluster is unhealthy',
    sentence: 'Too many nodes of the cluster are not ready: nothing is added and nothing is removed.',
    advice: 'Find out why nodes are not ready, or raise okTotalUnreadyCount or maxTotalUnreadyPercentage.',
  },
  LongPendingPods: {
    short: 'pods are pending that a group could hold',
    sentence: 'Pods have been pending for longer than ten minutes, though a node group or a node could hold them.',
    advice:
      'See why the pod is pending (outrigger explain pod), whether its nodes are launched, and whether its scheduler runs.',
  },
  WebhookSilent: {
    short: 'the webhook is silent',
    sentence:
      'A pod has been pending for longer than five minutes, without a webhook notification since it was refused.',
    advice:
      'See whether the webhook is applied and reaches Outrigger: meanwhile pending pods wait for the scheduled evaluation.',
  },
  NodeTainted: {
    short: 'a node is still tainted',
    sentence: 'A node has been tainted for its removal for longer than a drain may take.',
    advice: 'See the log of the Drain function, or take the taint off by hand.',
  },
  NodeAwaitingPods: {
    short: 'a ready node awaits its pods',
    sentence:
      'A node has been ready for longer than a minute, and still has the taint outrigger.dev/awaiting-pods, which keeps pods off it.',
    advice: 'See the log of the ScaleUp function, or take the taint off by hand.',
  },
  LongPause: {
    short: 'a pause without an end lasts',
    sentence: 'A pause that does not end by itself has been in force for longer than a day.',
    advice: 'Resume by outrigger resume, or give the pause an end by outrigger pause --for.',
  },
} satisfies Record<HealthProblem['kind'], Words>;

/** A sentence for the log, with the subject and the start time. */
export function healthProblemSentence(problem: HealthProblem): string {
  const { sentence, advice } = HEALTH_PROBLEMS[problem.kind];
  return `${aboutText(problem)}${sentence} ${advice}`;
}

function aboutText(problem: HealthProblem): string {
  switch (problem.kind) {
    case 'ClusterUnhealthy':
      return '';
    case 'LongPendingPods':
      return `${counted(problem.pods, 'pod')}, ${problem.pod} since ${formatTime(problem.since)}: `;
    case 'WebhookSilent':
      return `pod ${problem.pod}, since ${formatTime(problem.since)}: `;
    case 'NodeTainted':
    case 'NodeAwaitingPods':
      return `node ${problem.node}, since ${formatTime(problem.since)}: `;
    case 'LongPause':
      return `${pauseText(problem.pause)}, since ${formatTime(problem.since)}: `;
  }
}
