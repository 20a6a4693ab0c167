import type { SkippedGroup, SkipReason } from '../model/decision.ts';
import { formatTime } from '../model/values/time.ts';
import type { Words } from './words.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';

/**
 * Why a node group is not considered for a scale-up. The short texts are Cluster Autoscaler's, if it has a text for the
 * reason.
 */
export const WHY_GROUP_SKIPPED = {
  Invalid: {
    short: 'invalid node group',
    sentence: 'A setting of the node group is invalid, a tag for instance.',
    advice: 'Correct what the message names.',
  },
  Unhealthy: {
    short: 'not ready for scale-up',
    sentence: 'Too many nodes of the node group are missing or not ready.',
    advice: 'Find out why its instances do not become ready nodes.',
  },
  LaunchSuspended: {
    short: 'not ready for scale-up',
    sentence:
      'The process Launch of the Auto Scaling group is suspended, or the Cluster API resource or its cluster is paused: no instance would be launched.',
    advice: 'Resume the process Launch, or what the message names.',
  },
  ZonalShift: {
    short: 'its zone is shifted away from',
    sentence:
      'Traffic of the cluster or of the node group is shifted away from a zone (ARC zonal shift). The next node may be in that zone.',
    advice:
      'Wait for the end of the shift, or cancel it. A node group of several zones goes on in the others if it is a managed one, or registered with zonal shift itself.',
  },
  Paused: {
    short: 'paused',
    sentence: 'Scale-up is paused: the message says by what, and until when.',
    advice: 'Resume it by outrigger resume, or take off what the message names (docs/pause.md).',
  },
  BackedOff: {
    short: 'in backoff after failed scale-up',
    sentence:
      'A launch of the node group failed, or what it would launch has just been out of capacity. It is considered again when its backoff is over.',
    advice: 'See what the class of the failed launch calls for.',
  },
  MaxSizeReached: {
    short: 'max node group size reached',
    sentence: 'The node group is at its maximum size.',
    advice: 'Raise the maximum size if the node group may have more nodes.',
  },
  BeingRemoved: {
    short: 'being removed as a whole',
    sentence:
      'The node group is scaled as a whole (zeroOrMaxNodeScaling), and nodes of it are being removed. It is considered again when their instances end.',
    advice: 'If the removal takes long, see what the drains of the nodes wait for.',
  },
  ResourceLimitExceeded: {
    short: 'max cluster limit reached',
    sentence:
      'Another node would exceed maxNodesTotal, the maximum of coresTotal, memoryTotal or gpuTotal, or a CapacityQuota.',
    advice: 'Raise the limit that the message names if the cluster may be larger.',
  },
  MaxCostPerHourReached: {
    short: 'max cost per hour reached',
    sentence: 'Another node would cost more than maxCostPerHour of the cluster or of the node group.',
    advice: 'Raise maxCostPerHour if the nodes may cost more, or find out which pods need them.',
  },
  NoTemplate: {
    short: 'no node template',
    sentence: 'It is not known what a new node of the node group looks like.',
    advice: 'Correct what the message names, or let the node group have one ready node.',
  },
  NotSimulated: {
    short: 'not simulated',
    sentence: 'The time for estimates was used up before the node group was considered.',
    advice: 'Raise maxBinpackingTime.',
  },
  UnexpectedError: {
    short: 'left out after an unexpected error',
    sentence:
      'An unexpected error occurred while the node group was considered. The other node groups are considered without it.',
    advice: 'Report the error as a bug.',
  },
} satisfies Record<SkipReason, Words>;

/** Why this node group is skipped, as exactly as is known: `not ready for scale-up: 2 of 9 nodes are ready`. */
export function whyGroupSkipped({ reason, message, class: failure, until }: Omit<SkippedGroup, 'group'>): string {
  const { short } = WHY_GROUP_SKIPPED[reason];
  // A group whose shapes are out of capacity has not failed itself: the message is of another group's launch.
  const outOfCapacity = reason === 'BackedOff' ? message : undefined;
  const words = outOfCapacity ?? presentItems([short, message ?? failure]).join(': ');
  return presentItems([words, mapOptional(until, (time) => `until ${formatTime(time)}`)]).join(', ');
}

/** The same as the reason of a pod: groups at their maximum size read alike, so that they are counted together. */
export const whyGroupCannotHelp = (skipped: SkippedGroup): string =>
  skipped.reason === 'MaxSizeReached' ? WHY_GROUP_SKIPPED.MaxSizeReached.short : whyGroupSkipped(skipped);

/** The same for an event of a pod, where nothing may change from minute to minute, or each change would be another event. */
export function whyGroupCannotHelpNow(skipped: SkippedGroup): string {
  const { until: _, ...lasting } = skipped;
  return lasting.reason === 'Unhealthy' ? WHY_GROUP_SKIPPED.Unhealthy.short : whyGroupCannotHelp(lasting);
}
