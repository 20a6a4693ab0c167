import type { GroupName, InstanceId } from './values/names.ts';
import type { EpochMs } from './values/time.ts';

/**
 * What the cloud has announced about an instance, from the least to the most urgent:
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

/** A terminating lifecycle hook that waits to be completed. */
export interface TerminationHook {
  readonly name: string;
  /** The LifecycleActionToken of this termination. */
  readonly token: string;
  /** When the cloud stops waiting if no heartbeat comes; `null` where that is not known. */
  readonly heartbeatUntil: EpochMs | null;
}

/** What the cloud has announced about one instance of the cluster. */
export interface Notice {
  readonly instance: InstanceId;
  readonly group: GroupName;
  readonly kind: NoticeKind;
  /** Of the first announcement of this kind. */
  readonly receivedAt: EpochMs;
  /** When the cloud ends the instance; `null` where it does not say. */
  readonly endsAt: EpochMs | null;
  readonly hook: TerminationHook | null;
}
