import { expect, test } from 'vitest';
import type { Invariant } from '../simulate-faults/invariants/invariant.ts';
import { run } from '../simulate-faults/run.ts';
import { RUNS, runOf } from './recorded.ts';

/** Runs are long: half as many as of the other laws. */
const CASES = Math.ceil(RUNS / 2);
/** The runs of the seeds before it are longer still. */
const FIRST = 5;

/** The number of nodes at the end of a run, long after its last fault; at most `faults` strike. */
async function nodesAtEnd(n: number, faults: number): Promise<number> {
  let nodes = -1;
  const counter: Invariant = {
    name: 'counter',
    watch: ({ world }) => ({
      ended: () => {
        nodes = world.scaling.groups().reduce((sum, { instances }) => sum + instances.length, 0);
      },
    }),
  };
  const { faults: struck } = await run({ ...runOf(n), limit: faults, invariants: [counter] });
  expect(struck > 0).toBe(faults > 0);
  return nodes;
}

test('after faults a cluster comes to as many nodes as without them, within one node on average', async () => {
  let difference = 0;
  for (let n = FIRST; n < FIRST + CASES; n += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const [after, without] = [await nodesAtEnd(n, Number.POSITIVE_INFINITY), await nodesAtEnd(n, 0)];
    expect(Math.min(after, without)).toBeGreaterThan(0);
    difference += Math.abs(after - without);
  }
  expect(difference / CASES).toBeLessThanOrEqual(1);
});
