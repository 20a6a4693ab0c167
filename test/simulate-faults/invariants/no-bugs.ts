import type { Invariant } from './invariant.ts';

/**
 * Functions may fail because something failed them, never by a mistake of their own: neither one that ends an invocation nor
 * one that is caught, logged and tried again.
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
    // One that an evaluation has kept to what it is about.
    error.name === 'UnexpectedError'
  ) {
    return error;
  }
  const causes: readonly unknown[] =
    error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause];
  return causes.map(bugIn).find((bug) => bug !== null) ?? null;
}
