import { describe, expect, test } from 'vitest';
import { type Node, ZONE_LABEL } from '../../core/model/cluster/node.ts';
import { ATTACH_LIMITS } from './attach-limits.ts';
import { type Broken, findingOf, reading, withGroups } from './broken.ts';
import { recovers } from './invariants/recovers.ts';
import { volumesDetached } from './invariants/volumes-detached.ts';
import { BOUND_TO_LABEL, isOf } from './pools.ts';
import type { Tamper } from './run.ts';
import { scenarioFor } from './scenario.ts';
import { ZONE_AFFINITY, ZONES } from './zones.ts';

const inZone = (zone: string, node: Node): Node => ({ ...node, labels: { ...node.labels, [ZONE_LABEL]: zone } });

/** Each group's new nodes are described in the zone that this gives. */
const describedIn = (zoneOf: (zone: string) => string) =>
  withGroups((groups) =>
    groups.map((group) =>
      group.template === null
        ? group
        : {
            ...group,
            template: {
              ...group.template,
              node: inZone(zoneOf(group.template.node.labels[ZONE_LABEL]!), group.template.node),
            },
          },
    ),
  );

/** Each node is read as attaching as many volumes as this gives. */
const attaching = (countOf: (count: number | null) => number | null): Tamper =>
  reading(({ csiNodes }) => ({
    csiNodes: csiNodes.map((one) => ({
      ...one,
      drivers: one.drivers.map((driver) => ({ ...driver, count: countOf(driver.count) })),
    })),
  }));

const CASES: readonly Broken[] = [
  {
    name: 'new nodes of all groups are described in the first zone',
    tamper: describedIn(() => ZONES[0]!),
    found: recovers,
    draw: [ZONE_AFFINITY],
  },
  {
    name: 'drains do not see which volumes are attached',
    tamper: {
      world: (world) => ({ ...world, reader: { ...world.reader, attachedVolumes: async () => [] } }),
    },
    found: volumesDetached,
    draw: [ZONE_AFFINITY],
  },
  {
    name: 'it is not seen how many volumes nodes attach',
    tamper: attaching(() => null),
    found: recovers,
    draw: [ZONE_AFFINITY, ATTACH_LIMITS],
  },
];

describe('where pods are bound to zones', () => {
  test.each(CASES)('$name: found', async (broken) => {
    expect(await findingOf(broken)).not.toBeNull();
  });

  test.each(['aws', 'clusterapi'] as const)(
    'each pod has one pool on %s, whose groups have the zone that it asks for',
    (provider) => {
      const { groups, pools, steps } = scenarioFor(1, provider, [ZONE_AFFINITY]);
      expect(pools.filter(({ zone }) => zone !== undefined).length).toBeGreaterThan(1);
      for (const { zone, groups: own } of pools) {
        expect(
          groups.filter(({ name, zones }) => own.includes(name) && zone !== undefined && zones.join() !== zone),
        ).toEqual([]);
      }
      const workloads = steps.flatMap((step) => (step.kind === 'apply' ? step.workload : []));
      expect(workloads.map((workload) => pools.flatMap((pool) => (isOf(pool, workload) ? [pool.zone] : [])))).toEqual(
        workloads.map(({ labels }) => [labels[BOUND_TO_LABEL]]),
      );
    },
  );
});
