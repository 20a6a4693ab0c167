import { type Drain, hasEnded, type StoredDrain } from '../model/drain.ts';
import type { GroupSize } from '../model/node-group.ts';
import type { SetSizeIntent } from '../model/intent.ts';
import type { Pause } from '../model/pause.ts';
import type { SizeRefusal } from '../model/size-refusal.ts';
import { type EpochMs, minutes } from '../model/values/time.ts';

/** May a size be set? */
type SizeVerdict = { readonly kind: 'set' } | { readonly kind: 'done' | 'refused'; readonly reason: SizeRefusal };

const refused = (reason: SizeRefusal): SizeVerdict => ({ kind: 'refused', reason });

/** May this size be set, given what the group's sizes are now? */
export function judgeSize({ from, to }: Pick<SetSizeIntent, 'from' | 'to'>, size: GroupSize | null): SizeVerdict {
  if (size === null) {
    return refused({ kind: 'GroupGone' });
  }
  if (size.target === to) {
    return { kind: 'done', reason: { kind: 'AlreadySet' } };
  }
  if (size.target !== from) {
    return refused({ kind: 'TargetChanged', now: size.target, from });
  }
  if (to > size.max) {
    return refused({ kind: 'AboveMaximum', now: size.max, to });
  }
  if (to < from && to < size.min) {
    return refused({ kind: 'BelowMinimum', now: size.min, to });
  }
  if (to < from && to < size.held) {
    return refused({ kind: 'InstancesArrived', now: size.held, to });
  }
  return { kind: 'set' };
}

/** Hosts' clocks are no further apart. */
const SKEW = minutes(1);
/** Drains are remembered for ten minutes after their end. */
const REMEMBERED = minutes(8);

/** The input of one try: the verdict on the size, and the group's drains that have asked for an instance's end. */
export interface SizeCheck {
  readonly verdict: SizeVerdict;
  readonly drains: readonly Drain[];
}

export const sizeCheck = (intent: SetSizeIntent, verdict: SizeVerdict, stored: readonly StoredDrain[]): SizeCheck => ({
  verdict,
  drains: stored
    .map(({ drain }) => drain)
    .filter((drain) => drain.group === intent.group && drain.terminateAskedAt !== null),
});

/**
 * Is a drain about to take an instance from the group (it looks for claims such as this one before it does), or may it just
 * have done so, and the description be older?
 */
export const isDraining = ({ drains }: SizeCheck, intent: SetSizeIntent): boolean =>
  drains.some((drain) => !hasEnded(drain) || mayNotShow(drain, intent));

/** Has it taken an instance from the group since the size was decided, which is then that of one instance more? */
const mayNotShow = ({ phase, terminateAskedAt }: Drain, { createdAt }: SetSizeIntent): boolean =>
  phase === 'Removed' && terminateAskedAt !== null && terminateAskedAt > createdAt - SKEW;

/** The facts that may speak against setting a size, besides the size itself. */
interface SizeDoubts {
  readonly superseded: boolean;
  readonly pause: Pause | null;
  readonly mayBeSet: boolean;
  readonly now: EpochMs;
}

/**
 * The verdict on a size, with what else may speak against setting it.
 *
 * @param superseded it is not to be made any more (`isSuperseded`).
 * @param pause holds it back (`pauseOfIntent`); `null`: none does.
 * @param mayBeSet an earlier try may have set it.
 */
export function finalVerdict(
  { verdict, drains }: SizeCheck,
  intent: SetSizeIntent,
  { superseded, pause, mayBeSet, now }: SizeDoubts,
): SizeVerdict {
  if (verdict.kind !== 'set') {
    return verdict;
  }
  if (superseded) {
    return refused({ kind: 'Superseded' });
  }
  if (pause !== null) {
    return refused({ kind: 'Paused', pause });
  }
  return mayBeSet && hasShrunk(drains, intent, now) ? refused({ kind: 'MaybeSetBefore' }) : verdict;
}

/**
 * May a drain have taken an instance from the group since the size was decided? A group that has grown and shrunk has the
 * size that it was decided from, and would grow a second time.
 */
const hasShrunk = (drains: readonly Drain[], { createdAt }: SetSizeIntent, now: EpochMs): boolean =>
  now - createdAt > REMEMBERED ||
  drains.some(({ terminateAskedAt }) => terminateAskedAt !== null && terminateAskedAt > createdAt - SKEW);
