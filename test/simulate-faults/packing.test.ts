import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fits } from './packing.ts';

/** Tries every place for every pod. */
const fitsSomehow = ([size, ...others]: readonly number[], free: readonly number[]): boolean =>
  size === undefined || free.some((room, i) => room >= size && fitsSomehow(others, free.with(i, room - size)));

describe('pods of sizes that divide each other', () => {
  test('fit in this order if they fit in any', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(1, 2, 4), { maxLength: 7 }),
        fc.array(fc.nat(8), { maxLength: 4 }),
        (sizes, free) => {
          expect(fits(sizes, free)).toBe(fitsSomehow(sizes, free));
        },
      ),
      { numRuns: 500 },
    );
  });
});
