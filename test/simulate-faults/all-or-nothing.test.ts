import { describe, expect, test } from 'vitest';
import type { NodeGroup } from '../../core/model/node-group.ts';
import { type Broken, findingOf, withGroups } from './broken.ts';
import { allOrNothing } from './invariants/all-or-nothing.ts';
import { POOL_LABEL, SIZE_LABEL } from './pools.ts';
import type { Tamper } from './run.ts';
import { scenarioFor } from './scenario.ts';
import { isWholeGroup, ZERO_OR_MAX } from './whole-groups.ts';

const withWhole = (change: (group: NodeGroup) => NodeGroup): Tamper =>
  withGroups((groups) => groups.map((group) => (group.options.zeroOrMaxNodeScaling === true ? change(group) : group)));

const CASES: readonly (Broken & { readonly says: RegExp })[] = [
  {
    name: 'a group that is thought to have a smaller maximum, and is bought in part',
    tamper: withWhole((group) => ({ ...group, maxSize: group.maxSize - 1 })),
    found: allOrNothing,
    says: /^\S+ raises \S+ from \d to \d: its maximum is \d/,
  },
];

describe('where a group is all or nothing', () => {
  test.each(CASES)('$name: found', async ({ says, ...broken }) => {
    expect(await findingOf({ ...broken, draw: [ZERO_OR_MAX] })).toMatch(says);
  });

  test.each(['aws', 'clusterapi'] as const)('its maximum holds all pods that it is for, on %s', (provider) => {
    const scenarios = Array.from({ length: 12 }, (_, i) => scenarioFor(i + 1, provider, [ZERO_OR_MAX]));
    const withOne = scenarios.filter(({ drawn }) => drawn.includes(ZERO_OR_MAX));
    expect(withOne.length).toBeGreaterThan(5);
    for (const { groups, pools, steps } of withOne) {
      const [group, ...others] = groups.filter(isWholeGroup);
      expect(others).toEqual([]);
      const pool = pools.find((one) => one.groups.includes(group!.name))!;
      expect(pool.groups).toEqual([group!.name]);
      const units = steps.flatMap((step) =>
        step.kind === 'apply' && step.workload.spec.nodeSelector[POOL_LABEL] === pool.name
          ? step.workload.pods * Number(step.workload.labels[SIZE_LABEL])
          : [],
      );
      expect(Math.max(...units)).toBeLessThanOrEqual(pool.units * group!.maxSize);
      expect(Math.max(...units)).toBeGreaterThan(0);
    }
  });
});
