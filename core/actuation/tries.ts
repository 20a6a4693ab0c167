import type { CallFailed } from '../model/answers.ts';
import { addTime, type DurationMs, type EpochMs, epochMs, seconds } from '../model/values/time.ts';

/** Waits between tries while the cloud throttles, in milliseconds. */
const THROTTLE_WAITS_MS = [1_000, 2_000, 4_000, 8_000];
/** The same when the failure does not say whether the call took effect: long enough for a description to show the call's effect. */
const UNCERTAIN_WAITS_MS = [1_000, 3_000, 5_000];

/** The call may have taken effect: it was not answered, or its error does not say. */
export const isUncertain = ({ class: failure }: CallFailed): boolean => failure === 'Timeout' || failure === 'Other';

/**
 * How long to wait before a call that has failed is tried again, in milliseconds.
 *
 * @param tries that came before the failed one
 * @returns `null` when it is not tried again
 */
export function waitBeforeTry(failure: CallFailed, tries: number): number | null {
  if (failure.class === 'Throttled') {
    return THROTTLE_WAITS_MS[tries] ?? null;
  }
  return isUncertain(failure) ? (UNCERTAIN_WAITS_MS[tries] ?? null) : null;
}

/** From a change in the cloud to the description that shows it. */
const SHOWN_AFTER_MS = 5_000;
/** The largest share of a claim that is spent on waiting for that. */
const SHARE_OF_CLAIM = 0.2;

/** How long to wait for the description of a group to show a change, in milliseconds. */
export const shownAfter = (claim: DurationMs): number => Math.min(SHOWN_AFTER_MS, SHARE_OF_CLAIM * claim);

/** A group whose description shows another size after this time has been given that size by another client. */
const SIZE_SHOWN_WITHIN = seconds(12);

/**
 * When descriptions of a group show a size at the latest that has just been set. AWS shows a size within seconds; a claim
 * lasts for minutes, and a size that another client takes back would count as set until its end.
 *
 * @param claimedUntil the end of the claim, at which the size counts as shown in any case.
 */
export const sizeShownBy = (now: EpochMs, claimedUntil: EpochMs): EpochMs =>
  epochMs(Math.min(addTime(now, SIZE_SHOWN_WITHIN), claimedUntil));
