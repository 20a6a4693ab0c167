import type { CallFailed, TerminateOutcome } from '@outrigger/core/model/answers.ts';
import { type DurationMs, type EpochMs, seconds } from '@outrigger/core/model/values/time.ts';
import type { Machine, ScalableResource } from '../api/objects.ts';
import type { Claim } from './marks.ts';
import { refusedChange } from './outcomes.ts';

/** How long an attempt waits until it may claim the Machine: for other attempts in the group, and for its controllers. */
export const CLAIM_LIMIT: DurationMs = seconds(10);

/**
 * How long a mark, or its removal, is left alone before the size changes: the controller watches Machines and MachineSets
 * apart, and must not see the new size with the old marks.
 */
export const MARK_PAUSE: DurationMs = seconds(1);

/**
 * How old a read of the group may be when the size is lowered. A mark that was removed since then is not missed, and the
 * API server cannot make a new size depend on it.
 */
export const READ_LIMIT: DurationMs = seconds(3);

/** How long the controllers have to delete the marked Machine. They take a fraction of a second. */
export const VERIFY_LIMIT: DurationMs = seconds(12);

/** How long the controllers have to see the former size again, before the mark stays. */
export const TAKE_BACK_LIMIT: DurationMs = seconds(8);

/** How long the former size must have been in place everywhere before the mark is removed. */
export const TAKE_BACK_PAUSE: DurationMs = seconds(2);

/** The outcome of an attempt that takes back an earlier attempt's changes. */
export const WITHDRAWN = refusedChange('Withdrawn', 'the Machine is to stay');

/** The progress of an attempt to terminate a Machine. */
export interface Attempt {
  readonly token: string;
  readonly startedAt: EpochMs;
  /** The attempt takes back an earlier attempt's changes, and begins nothing. */
  readonly withdraws: boolean;
  /** When it began to read the group last. */
  readonly readAt: EpochMs;
  /** The attempt has made a claim. */
  readonly claimed: boolean;
  /** Since when it has known the Machine to be marked. */
  readonly markedAt: EpochMs | null;
  /** The attempt has asked for the lower size, or continues an attempt that may have. */
  readonly mayHaveLowered: boolean;
  /** When the size was lowered, as far as it knows. */
  readonly loweredAt: EpochMs | null;
  /** UIDs of the live Machines before that. */
  readonly before: ReadonlySet<string>;
  readonly raised: boolean;
  /** Why everything is being taken back; `null` while it is not. */
  readonly failure: CallFailed | null;
  readonly failedAt: EpochMs | null;
  /** Since when, in the course of this, no controller has had a Machine to delete. */
  readonly settledAt: EpochMs | null;
}

export const newAttempt = (token: string, startedAt: EpochMs): Attempt => ({
  token,
  startedAt,
  withdraws: false,
  readAt: startedAt,
  claimed: false,
  markedAt: null,
  mayHaveLowered: false,
  loweredAt: null,
  before: new Set(),
  raised: false,
  failure: null,
  failedAt: null,
  settledAt: null,
});

/** An attempt that takes back an earlier attempt's changes. */
export const newWithdrawal = (token: string, startedAt: EpochMs): Attempt => ({
  ...newAttempt(token, startedAt),
  withdraws: true,
  failure: WITHDRAWN,
  failedAt: startedAt,
});

/** The next step of an attempt. Each step is followed by reading the group again. */
export type AttemptStep =
  | { readonly kind: 'end'; readonly outcome: TerminateOutcome }
  | { readonly kind: 'wait'; readonly noted?: Partial<Attempt> }
  /** Claim the Machine. `from`: what an earlier attempt has noted. */
  | { readonly kind: 'claim'; readonly machine: Machine; readonly from: number | null }
  /** Mark it, and note the size. */
  | { readonly kind: 'mark'; readonly machine: Machine; readonly claim: Claim }
  | {
      readonly kind: 'lower';
      readonly resource: ScalableResource;
      readonly to: number;
      readonly before: ReadonlySet<string>;
    }
  /** Delete the Machine itself: its controller has no reason to delete any. */
  | { readonly kind: 'delete'; readonly machine: Machine }
  | { readonly kind: 'fail'; readonly failure: CallFailed }
  /** The two halves of taking back: the former size, then claim and mark. */
  | { readonly kind: 'raise'; readonly resource: ScalableResource; readonly to: number }
  | { readonly kind: 'release'; readonly machine: Machine };
