import { expect, test } from 'vitest';
import type { PodTemplate } from '../../core/model/cluster/capacity-buffer.ts';
import { isConditionTrue } from '../../core/model/cluster/status-condition.ts';
import { type Broken, findingOf, reading } from './broken.ts';
import { CAPACITY_BUFFERS } from './drawn-buffers.ts';
import { GPU, GPUS } from './gpus.ts';
import { buffersHeld } from './invariants/buffers-held.ts';
import { nothingInVain } from './invariants/nothing-in-vain.ts';
import { scenarioFor } from './scenario.ts';

const withoutGpus = (template: PodTemplate): PodTemplate => ({
  ...template,
  pod: {
    ...template.pod,
    spec: {
      ...template.pod.spec,
      containers: template.pod.spec.containers.map(({ requests: { [GPU]: _gpus, ...requests }, ...container }) => ({
        ...container,
        requests,
      })),
    },
  },
});

const CASES: readonly (Broken & { readonly says: RegExp })[] = [
  {
    name: 'buffers that nobody reads',
    tamper: reading(() => ({ capacityBuffers: [] })),
    found: buffersHeld,
    draw: [CAPACITY_BUFFERS],
    from: 6,
    says: /has been without room for \d+/,
  },
  {
    name: 'a buffer that is not read any more when it has its room',
    tamper: reading(({ capacityBuffers }) => ({
      capacityBuffers: capacityBuffers.filter((one) => !isConditionTrue(one, 'Provisioning')),
    })),
    found: buffersHeld,
    draw: [CAPACITY_BUFFERS],
    from: 4,
    says: /are to go with pods of/,
  },
  {
    name: 'a buffer of pods that are thought to need no GPUs',
    tamper: reading(({ podTemplates }) => ({ podTemplates: podTemplates.map(withoutGpus) })),
    found: buffersHeld,
    draw: [GPUS, CAPACITY_BUFFERS],
    from: 34,
    says: /has been without room for \d+/,
  },
  {
    name: 'a buffer that gets more than the quotas of its namespace leave it',
    tamper: reading(() => ({ resourceQuotas: [] })),
    found: nothingInVain,
    draw: [CAPACITY_BUFFERS],
    says: /have been bought for them/,
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
