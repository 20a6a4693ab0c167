import type { Increase } from '../model/decision.ts';
import type { Drain, DrainFailure } from '../model/drain.ts';
import type { NoticeKind } from '../model/notice.ts';
import { NOTICES } from './notices.ts';
import type { PodKey } from '../model/values/names.ts';

/** A node group that grows, as Cluster Autoscaler's events show it. */
export interface Growth extends Increase {
  readonly max: number;
}

/** Messages of events: Cluster Autoscaler's, whose reasons they bear. */
export const EVENT_MESSAGES = {
  triggered: (growing: readonly Growth[]) =>
    `pod triggered scale-up: [${growing.map(({ group, from, to, max }) => `{${group} ${from}->${to} (max: ${max})}`).join(' ')}]`,
  notTriggered: (why: string) => `pod didn't trigger scale-up: ${why}`,
  tainted: (notice: NoticeKind | null) =>
    `marked the node as toBeDeleted/unschedulable${notice === null ? '' : `: ${NOTICES[notice].short}`}`,
  removed: (notice: NoticeKind | null) =>
    notice === null ? 'node removed by Outrigger' : `node drained by Outrigger: ${NOTICES[notice].short}`,
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
