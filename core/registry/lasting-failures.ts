import type { GroupName } from '../model/values/names.ts';
import type { Backoff, State } from '../model/state.ts';
import type { EpochMs } from '../model/values/time.ts';
import { LASTING } from './backoff.ts';

/** A group that no waiting mends: it is set up wrongly, or may not be used. */
export interface LastingFailure extends Backoff {
  readonly group: GroupName;
  /** Has it failed since `before`? */
  readonly isNew: boolean;
}

/** @param before what was persisted, `after` what is decided now. */
export const lastingFailures = (
  before: State['backoff'],
  after: State['backoff'],
  now: EpochMs,
): readonly LastingFailure[] =>
  (Object.entries(after) as [GroupName, Backoff][])
    .filter(([, { class: failure, until }]) => LASTING.includes(failure) && until > now)
    .map(([group, backoff]) => ({
      ...backoff,
      group,
      isNew: before[group]?.lastFailure !== backoff.lastFailure,
    }));
