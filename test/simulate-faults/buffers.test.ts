import { expect, test } from 'vitest';
import type { CapacityBuffer } from '../../core/model/cluster/capacity-buffer.ts';
import { isConditionTrue } from '../../core/model/cluster/status-condition.ts';
import { type Broken, findingOf } from './broken.ts';
import { CAPACITY_BUFFERS } from './drawn-buffers.ts';
import { buffersHeld } from './invariants/buffers-held.ts';
import type { Tamper } from './run.ts';
import { scenarioFor } from './scenario.ts';

/** Buffers are read otherwise than they are. */
const reading = (change: (buffers: readonly CapacityBuffer[]) => readonly CapacityBuffer[]): Tamper => ({
  world: (world) => ({
    ...world,
    reader: {
      ...world.reader,
      read: async (...call) => {
        const { objects, ...more } = await world.reader.read(...call);
        return { ...more, objects: { ...objects, capacityBuffers: change(objects.capacityBuffers) } };
      },
    },
  }),
});

const CASES: readonly (Broken & { readonly says: RegExp })[] = [
  {
    name: 'buffers that nobody reads',
    tamper: reading(() => []),
    found: buffersHeld,
    draw: [CAPACITY_BUFFERS],
    from: 6,
    says: /has been without room for \d+/,
  },
  {
    name: 'a buffer that is not read any more when it has its room',
    tamper: reading((buffers) => buffers.filter((one) => !isConditionTrue(one, 'Provisioning'))),
    found: buffersHeld,
    draw: [CAPACITY_BUFFERS],
    from: 4,
    says: /are to go with pods of/,
  },
];

test.each(CASES)('$name: found', async ({ says, ...broken }) => {
  expect(await findingOf(broken)).toMatch(says);
});

test('buffers come within the time of faults, are for pods of their pool, and go again', () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const { buffers, pools, start, faultsUntil } = scenarioFor(seed, 'aws', [CAPACITY_BUFFERS]);
    for (const { pool, units, pods, from, until } of buffers) {
      expect(pools).toContain(pool);
      expect(pods * units).toBeGreaterThan(0);
      expect(from).toBeGreaterThan(start);
      expect(until).toBeGreaterThan(from);
      expect(until).toBeLessThan(faultsUntil);
    }
  }
});
