import { describe, expect, it } from 'vitest';
import { cases } from '../cases.ts';
import { checkSeed, describeFailure } from './check.ts';

/** `npm run simulate-hostile` runs thousands. */
const CASES = cases(30);
const BATCH = 10;

describe('a workload beside hostile objects', () => {
  it.each(Array.from({ length: CASES / BATCH }, (_, i) => 1 + i * BATCH))(
    `gets what it would get without them (${BATCH} cases from seed %i)`,
    async (first) => {
      for (let one = first; one < first + BATCH; one += 1) {
        const failure = await checkSeed(one);
        expect(failure === null ? '' : describeFailure(failure)).toBe('');
      }
    },
  );
});
