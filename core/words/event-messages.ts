import type { Drain, DrainFailure } from '../model/drain.ts';
import type { PodKey } from '../model/values/names.ts';

/** Messages of the events of drains: Cluster Autoscaler's, whose reasons `ScaleDown` and `ScaleDownFailed` they bear. */
export const EVENT_MESSAGES = {
  tainted: () => 'marked the node as toBeDeleted/unschedulable',
  removed: () => 'node removed by Outrigger',
  failed: (kind: Drain['kind'], failure: DrainFailure, pod: PodKey | null, message: string) =>
    `${failedTo(kind, failure)}: ${pod === null ? '' : `pod ${pod}: `}${message}`,
  evicted: () => 'deleting pod for node scale down',
  notEvicted: (refusal: string | null) => `failed to delete pod for ScaleDown${refusal === null ? '' : `: ${refusal}`}`,
};

const failedTo = (kind: Drain['kind'], failure: DrainFailure): string =>
  failure === 'FailedToMarkToBeDeleted'
    ? 'failed to mark the node as toBeDeleted/unschedulable'
    : kind === 'empty'
      ? 'failed to delete empty node'
      : 'failed to drain and delete node';
