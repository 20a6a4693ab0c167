import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CounterGroup } from '../../../../core/scheduling/counts/counter-group.ts';
import type { Counter } from '../../../../core/scheduling/counts/counters.ts';

/** More than are listed one by one, and more than a word of bits. */
const COUNTERS = 300;

describe('a group of counters', () => {
  it('counts with each counter as often as it includes the counter', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: COUNTERS - 1 }), { maxLength: 2 * COUNTERS, size: 'max' }),
        fc.nat(),
        (included, nodeIndex) => {
          const seen: number[][] = Array.from({ length: COUNTERS }, () => []);
          const group = new CounterGroup(
            seen.map((calls): Counter => ({ add: (...[index, count]) => calls.push(index, count) })),
          );
          included.forEach((index) => group.include(index));
          group.add(nodeIndex, -3);
          const times = (index: number) => included.filter((one) => one === index).length;
          expect(seen).toEqual(
            seen.map((_, index) => Array.from({ length: times(index) }, () => [nodeIndex, -3]).flat()),
          );
        },
      ),
    );
  });
});
