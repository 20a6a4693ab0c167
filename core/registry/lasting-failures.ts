import type { GroupName } from '../model/names.ts';
import type { FailureClass } from '../model/node-group.ts';
import type { Backoff, State } from '../model/state.ts';
import type { EpochMs } from '../model/time.ts';
import { LASTING } from './backoff.ts';

/** A group that no waiting mends: it is set up wrongly, or may not be used. */
export interface LastingFailure extends Backoff {
  readonly group: GroupName;
  /** What is to be corrected, in words. */
  readonly advice: string | undefined;
  /** Has it failed since `before`? */
  readonly isNew: boolean;
}

/** What is to be corrected, by the class of the failure. */
const ADVICE: Readonly<Partial<Record<FailureClass, string>>> = {
  Configuration: 'its launch template, image, key, security groups or subnets are wrong or gone',
  Authorisation: 'a role, a policy or a key forbids its launches',
};

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
      advice: ADVICE[backoff.class],
      isNew: before[group]?.lastFailure !== backoff.lastFailure,
    }));
