import { expect, it } from 'vitest';
import { cases } from '../cases.ts';
import { checkSeed, describeFailure } from './check.ts';

/** `npm run simulate-hostile` runs thousands for every change. */
it.each(Array.from({ length: cases(10) }, (_, index) => 1 + index))(
  'a workload beside hostile objects gets what it would get without them (seed %i)',
  async (seed) => {
    const failure = await checkSeed(seed);
    expect(failure === null ? '' : describeFailure(failure)).toBe('');
  },
);
