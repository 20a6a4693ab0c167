import { RecursiveLoop } from '../../../runtime/invocations.ts';
import type { Invariant } from './invariant.ts';

/**
 * Functions may fail because something failed them, never by a bug, whether the bug ends the invocation or is caught,
 * logged and retried.
 */
export const noBugs: Invariant = {
  name: 'no function fails by its own mistake',
  watch: (_stage, violate, count) => ({
    decided: () => count(true),
    failed: (invocation, error) => {
      const bug = bugIn(error);
      if (bug !== null) {
        violate(`${invocation}: ${bug.stack ?? bug.message}`);
      }
    },
  }),
};

function bugIn(error: unknown): Error | null {
  if (!(error instanceof Error)) {
    return new Error(`something was thrown that is no error: ${String(error)}`);
  }
  if (
    [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind) ||
    /^(?:simulation|Commit \d)/.test(error.message) ||
    // An internal error that an evaluation has confined to the affected objects.
    error.name === 'UnexpectedError' ||
    // Lambda stops a chain that the stack does not allow.
    error instanceof RecursiveLoop
  ) {
    return error;
  }
  const causes: readonly unknown[] =
    error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause];
  return causes.map(bugIn).find((bug) => bug !== null) ?? null;
}
