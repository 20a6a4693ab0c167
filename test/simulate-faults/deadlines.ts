import type { NoticeKind } from '../../core/model/notice.ts';
import type { Options } from '../../core/model/options.ts';
import type { InstanceId } from '../../core/model/values/names.ts';
import { addTime, type EpochMs, epochMs, minutes } from '../../core/model/values/time.ts';
import type { Announced } from './announcements.ts';
import type { Stage } from './invariants/invariant.ts';
import { isOwnHook } from './notice-scenario.ts';

/** Events that are announced long before are answered this long before their time (docs/interruption-handling.md). */
const EARLIEST = minutes(60);
/** How long a node may be drained for a lifecycle hook (docs/interruption-handling.md). */
export const HOOK_TIME = minutes(15);
/** Times in events are whole seconds. */
const ROUNDED_MS = 1_000;
/** A clock that is off may have been read so long before. */
const READ_BEFORE = minutes(5);

const ENDS: ReadonlySet<NoticeKind> = new Set(['SpotInterruption', 'ScheduledChange', 'CapacityReservationEnd']);

/** Is a node to be drained for this, whenever? */
export function isToBeAnswered({ what, hook }: Announced, { spotInterruption, scheduledChange }: Options): boolean {
  switch (what) {
    case 'SpotInterruption':
      return spotInterruption === 'drain';
    case 'ScheduledChange':
    case 'CapacityReservationEnd':
      return scheduledChange === 'drain';
    case 'LifecycleHook':
      return hook !== null && isOwnHook(hook.name);
    case 'InstanceStopping':
    case 'RebalanceRecommendation':
      return false;
  }
}

/** From when on the node is to be drained for it. */
export const dueFrom = ({ what, endsAt, time }: Announced): EpochMs =>
  endsAt !== null && (what === 'ScheduledChange' || what === 'CapacityReservationEnd')
    ? epochMs(endsAt - EARLIEST)
    : time;

/** How far a time that a function has read from its clock may be off, in milliseconds. */
export const clockError = ({ strikes }: Pick<Stage, 'strikes'>, since: EpochMs): number =>
  (strikes.last('clock skew') >= since - READ_BEFORE ? strikes.furthestSkew() : 0) + ROUNDED_MS;

/** Has the cloud announced the end of this instance? */
export const isToEnd = ({ announcements }: Pick<Stage, 'announcements'>, instance: InstanceId): boolean =>
  announcements.of(instance).some(({ what }) => ENDS.has(what));

/** Has the cloud recommended another instance, and do the options want that? At the minimum its group launches it. */
export const isToBeReplaced = (
  { announcements, scenario: { options } }: Pick<Stage, 'announcements' | 'scenario'>,
  instance: InstanceId,
): boolean =>
  options.rebalanceRecommendation === 'replace' &&
  announcements.of(instance).some(({ what }) => what === 'RebalanceRecommendation');

/**
 * Has the instance's time come, that the cloud has announced, or the time that a node may be drained for a lifecycle hook?
 * What is not gone by then goes with the instance, whatever is done.
 */
export const isAtItsEnd = (stage: Pick<Stage, 'announcements' | 'strikes'>, id: InstanceId, now: EpochMs): boolean =>
  stage.announcements.of(id).some(({ what, time, endsAt }) => {
    const end = what === 'LifecycleHook' ? addTime(time, HOOK_TIME) : ENDS.has(what) ? endsAt : null;
    return end !== null && end - clockError(stage, time) <= now;
  });
