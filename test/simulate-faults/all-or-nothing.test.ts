import { describe, expect, test } from 'vitest';
import type { ClusterObservation } from '../../core/ports/cluster.ts';
import { isDaemon } from '../../core/model/cluster/pod.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import { type Broken, findingOf, withGroups } from './broken.ts';
import { allOrNothing } from './invariants/all-or-nothing.ts';
import { POOL_LABEL, SIZE_LABEL } from './pools.ts';
import type { Tamper } from './run.ts';
import { scenarioFor } from './scenario.ts';
import { isWholeGroup, ZERO_OR_MAX } from './whole-groups.ts';

const withWhole = (change: (group: NodeGroup) => NodeGroup): Tamper =>
  withGroups((groups) => groups.map((group) => (group.options.zeroOrMaxNodeScaling === true ? change(group) : group)));

/** Pods that have a node, DaemonSets' excepted, are left out. */
const withoutPods = <Seen extends ClusterObservation>(seen: Seen): Seen => ({
  ...seen,
  objects: { ...seen.objects, pods: seen.objects.pods.filter((pod) => pod.nodeName === null || isDaemon(pod)) },
});

const CASES: readonly (Broken & { readonly says: RegExp })[] = [
  {
    name: 'a group that is thought to have a smaller maximum, and is bought in part',
    tamper: withWhole((group) => ({ ...group, maxSize: group.maxSize - 1 })),
    found: allOrNothing,
    says: /^\S+ raises \S+ from \d to \d, and not to its maximum of \d/,
  },
  {
    name: 'a group that is taken for one of any size, and goes in part',
    tamper: withWhole((group) => ({ ...group, options: {} })),
    found: allOrNothing,
    says: /^\S+ (?:removes .* stay$|raises .* not to its maximum)/,
  },
  {
    name: 'the rest of a group of which a part has failed, said to be ended, and left',
    tamper: {
      world: (world) => ({
        ...world,
        groups: { ...world.groups, terminate: () => Promise.resolve({ kind: 'terminated' }) },
      }),
    },
    found: allOrNothing,
    says: /^a part of \S+ has failed, and \S.* waited for/,
  },
  {
    name: 'a size that is set to less than what was decided',
    tamper: {
      world: (world) => ({
        ...world,
        groups: {
          ...world.groups,
          setSize: (group, size, ...call) =>
            world.groups.setSize(group, group.startsWith('whole') && size > 1 ? size - 1 : size, ...call),
        },
      }),
    },
    found: allOrNothing,
    says: /^\S+ is to have \d instances, neither none nor its maximum of \d/,
  },
  {
    name: 'a group that goes though pods run on it',
    tamper: {
      world: (world) => ({
        ...world,
        reader: {
          ...world.reader,
          read: async (...call) => withoutPods(await world.reader.read(...call)),
        },
      }),
    },
    found: allOrNothing,
    says: /^\S+ removes the nodes of \S+, and .* run there/,
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
