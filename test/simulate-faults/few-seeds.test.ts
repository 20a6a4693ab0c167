import { describe, expect, it } from 'vitest';
import { run } from './run.ts';

/** These two find a third of the planted defects (`docs/planted-defects.md`). `npm run simulate-faults` runs hundreds for every change. */
const SEEDS = { aws: [1, 2], clusterapi: [2] } as const;

describe.each(['aws', 'clusterapi'] as const)('functions with injected faults, on %s', (provider) => {
  it.each(SEEDS[provider])('keep every invariant in the run of seed %i', async (seed) => {
    const { faults, violation } = await run({ seed, provider });
    expect(violation).toBeNull();
    expect(faults).toBeGreaterThan(20);
  });
});
