import { describe, expect, it } from 'vitest';
import { run } from './run.ts';

/** `npm run simulate-faults` runs hundreds. */
const SEEDS = { aws: [101, 102, 103, 83], clusterapi: [101, 102] } as const;

describe.each(['aws', 'clusterapi'] as const)('functions with injected faults, on %s', (provider) => {
  it.each(SEEDS[provider])('keep every invariant in the run of seed %i', async (seed) => {
    const { faults, violation } = await run({ seed, provider });
    expect(violation).toBeNull();
    // A third of the runs has no faults of functions.
    expect(faults).toBeGreaterThan(seed % 3 === 0 ? 0 : 20);
  });
});
