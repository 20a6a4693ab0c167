import type { GroupName, InstanceId } from './values/names.ts';
import { presentItems } from './values/optional.ts';
import type { EpochMs } from './values/time.ts';

/**
 * The kinds of notices about an instance, from the least to the most urgent:
 *
 * - `RebalanceRecommendation`: a Spot instance is at an elevated risk of interruption
 * - `ScheduledChange`: AWS Health announces maintenance that needs the instance's end
 * - `CapacityReservationEnd`: the capacity reservation that the instance runs in is taken back
 * - `SpotInterruption`: a Spot instance is ended in two minutes
 * - `LifecycleHook`: its Auto Scaling group ends the instance, and a terminating lifecycle hook waits to be completed
 * - `InstanceStopping`: the instance is being stopped or terminated, whatever caused it
 */
export const NOTICE_KINDS = [
  'RebalanceRecommendation',
  'ScheduledChange',
  'CapacityReservationEnd',
  'SpotInterruption',
  'LifecycleHook',
  'InstanceStopping',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 * The answers to a notice, by its kind and the options of its node group:
 *
 * - `Drain`: the node is drained, until the instance ends at the latest
 * - `DrainLater`: the node is drained from an hour before the instance ends
 * - `Plan`: its pods are planned for elsewhere, and nothing is drained
 * - `CompleteHook`: the instance never became a node; its lifecycle hook is completed at once
 * - `Replace`: its pods are planned for elsewhere, and the node is drained once they have places on nodes that are ready
 * - `Cordon`: the node takes no more pods
 * - `Ignore`: nothing
 */
export const NOTICE_ANSWERS = ['Drain', 'DrainLater', 'Plan', 'CompleteHook', 'Replace', 'Cordon', 'Ignore'] as const;

export type NoticeAnswer = (typeof NOTICE_ANSWERS)[number];

/** A terminating lifecycle hook that waits to be completed. */
export interface TerminationHook {
  readonly name: string;
  /** The LifecycleActionToken of this termination. */
  readonly token: string;
  /** When the cloud stops waiting if no heartbeat comes; `null` where unknown. */
  readonly heartbeatUntil: EpochMs | null;
  /** Start of the wait, by the event's own time, however late the event came; absent where unknown. */
  readonly waitsSince?: EpochMs | undefined;
}

/** A notice of the cloud about one instance of the cluster. */
export interface Notice {
  readonly instance: InstanceId;
  readonly group: GroupName;
  readonly kind: NoticeKind;
  /** Arrival of the first announcement of this kind. */
  readonly receivedAt: EpochMs;
  /** When the cloud ends the instance; `null` where the cloud does not state it. */
  readonly endsAt: EpochMs | null;
  readonly hook: TerminationHook | null;
  /** The scheduled change is called off, or over: what was announced of it before is void. Absent: no. */
  readonly isClosed?: true | undefined;
}

/**
 * The content of a notice, as a text: two notices with the same content are the same notice, whenever they were
 * received.
 */
export const noticeContent = ({ kind, group, endsAt, hook, isClosed }: Notice): string =>
  JSON.stringify([kind, group, endsAt, hook, ...presentItems([isClosed])]);
