import { describe, expect, test } from 'vitest';
import type { Invariant } from './invariants/invariant.ts';
import { noBugs } from './invariants/no-bugs.ts';
import { run } from './run.ts';

const OURS: ReadonlySet<string> = new Set(['SizeSet', 'PodEvicted', 'NodeTainted', 'NodeUntainted']);

/** Changes that the functions alone bring about, in this simulation. */
const nothingChanges: Invariant = {
  name: 'nothing is changed',
  watch: (_stage, violate) => ({
    event: (event) => {
      if (OURS.has(event.kind)) {
        violate(`${event.kind} at ${event.at}`);
      }
    },
  }),
};

/** Faults of what others do to groups are left out: these would set sizes, too. */
const WITHOUT = ['outsider', 'bounds', 'group', 'zone rebalance', 'standby'] as const;

describe('in mode observe', () => {
  test.each([1, 2, 3])('functions that fail in every way change nothing, in run %i', async (seed) => {
    const options = { seed, invariants: [nothingChanges, noBugs], without: WITHOUT };
    const { violation, evaluations, faults } = await run({ ...options, dryRun: true });
    expect(violation).toBeNull();
    expect(evaluations).toBeGreaterThan(10);
    expect(faults).toBeGreaterThan(10);
    const { violation: otherwise } = await run(options);
    expect(otherwise?.invariant).toBe(nothingChanges.name);
  });
});
