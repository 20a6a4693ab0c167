import type { UnexpectedError } from '../decision.ts';
import type { Scenario } from '../scenario.ts';
import { findFaultyObjects } from './faulty-objects.ts';
import { describeError } from '../fault.ts';
import { type Quarantine, mergeQuarantines, withoutQuarantined } from './quarantine.ts';

interface IsolatedResult<T> {
  /** `null`: all of it failed. */
  readonly value: T | null;
  readonly aside: Quarantine;
  readonly errors: readonly UnexpectedError[];
}

/** After this many attempts, the whole namespaces of the pods that failed are set aside. */
const NARROW_ATTEMPTS = 8;
/** The largest number of attempts. Each costs as much as an evaluation. */
const MOST_ATTEMPTS = 16;

/**
 * Does a part of an evaluation. Where it throws, what the exception is about is set aside, and the part is done again from
 * its start: a snapshot that was being changed is never gone on with. Without an exception this costs nothing.
 *
 * @param already set aside by an earlier part.
 * @param work gets the scenario without what is set aside, and whether an attempt before has failed.
 */
export function isolateFaults<T>(
  scenario: Scenario,
  during: UnexpectedError['during'],
  already: Quarantine,
  work: (scenario: Scenario, isRetry: boolean) => T,
): IsolatedResult<T> {
  const errors: UnexpectedError[] = [];
  let aside = already;
  for (let attempt = 1; ; attempt++) {
    try {
      return { value: work(withoutQuarantined(scenario, aside, during === 'Registry'), attempt > 1), aside, errors };
    } catch (error) {
      const culprits =
        attempt < MOST_ATTEMPTS
          ? findFaultyObjects({ scenario, already: aside, during }, error, attempt > NARROW_ATTEMPTS)
          : null;
      if (culprits === null) {
        return { value: null, aside, errors: [...errors, { during, ...describeError(error) }] };
      }
      errors.push(...culprits.errors);
      aside = mergeQuarantines(aside, culprits.aside);
    }
  }
}
