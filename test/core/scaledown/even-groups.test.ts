import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { HOSTNAME_LABEL, type Node } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { Options } from '../../../core/model/options.ts';
import { type NodeName, nodeName } from '../../../core/model/values/names.ts';
import { randomFrom } from '../../../core/model/values/random.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { cases } from '../../cases.ts';
import { node, pod } from '../../builders.ts';
import { WEB } from './cluster.ts';
import { group, NOW, scenario, times, zoneLabels } from '../../scenario-builders.ts';

const KIB = 2 ** 10;
const GIB = 2 ** 30;
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const DAY = 24 * 3_600_000;

/**
 * Three similar groups; memory differs by some KiB, prices by some percent, and nodes are in a random order.
 *
 * @param use CPU in millicores of the pod on a node, 0 for none; the pods have a controller.
 */
function clusterOf(seed: number, sizes: readonly number[], use: (random: () => number) => number) {
  const random = randomFrom(seed);
  const nodes: Node[] = [];
  const pods: Pod[] = [];
  const groups = ZONES.map((zone, z) => {
    const amounts = { cpu: 4, memory: 16 * GIB - Math.floor(random() * 600) * KIB, pods: 58 };
    const names = times(
      sizes[z]!,
      // Names follow the zones in half of the clusters, as those of EKS often do.
      (i) => `ip-${seed % 2 === 0 ? z : Math.floor(random() * 1e6)}-${Math.floor(random() * 1e6)}-${z}-${i}`,
    );
    for (const name of names) {
      const labels = { ...zoneLabels(zone), [HOSTNAME_LABEL]: name };
      nodes.push({ ...node(name, amounts, { labels }), createdAt: epochMs(NOW - DAY) });
      const cpu = use(random);
      if (cpu > 0) {
        const requests = { cpu: `${cpu}m`, memory: `${cpu}Mi` };
        pods.push(pod(`on-${name}`, { requests, node: name, owner: 'ReplicaSet/web' }));
      }
    }
    return {
      ...group(`m5-${zone.at(-1)!}`, { max: 100, node: amounts, zone, nodes: names }),
      price: 0.192 * (0.95 + random() / 10),
    };
  });
  return { groups, nodes, pods };
}

/** How many nodes of each group are left, and which of these are unneeded. */
function decided(cluster: ReturnType<typeof clusterOf>, seed: number, options: Partial<Options>) {
  const long = epochMs(NOW - 2 * 3_600_000);
  const unneededSince = Object.fromEntries(cluster.nodes.map(({ name }) => [nodeName(name), long]));
  const { scaleDown } = evaluate(
    scenario({
      ...cluster,
      objects: { controllers: [{ ...WEB, replicas: cluster.pods.length }] },
      seed,
      options,
      state: { unneededSince, lastEvaluation: epochMs(NOW - 10_000) },
    }),
  );
  const removed = new Set<NodeName>(scaleDown.removals.map((removal) => removal.node));
  const unneeded = new Set(scaleDown.unneeded);
  return cluster.groups.map(({ nodes }) => {
    const left = nodes.filter((name) => !removed.has(name));
    return { left: left.length, removed: nodes.length - left.length, more: left.some((name) => unneeded.has(name)) };
  });
}

const difference = (sizes: readonly number[]): number => Math.max(...sizes) - Math.min(...sizes);

describe('the sizes of similar node groups after a scale-down', () => {
  test('differ by more than one only where the larger group has no unneeded node left', () => {
    let compared = 0;
    for (let seed = 0; seed < cases(100); seed += 1) {
      const random = randomFrom(seed + 1_000_000);
      const sizes = ZONES.map(() => 1 + Math.floor(random() * 9));
      const cluster = clusterOf(seed, sizes, (next) => (next() < 0.1 ? 3_500 : 0));
      const after = decided(cluster, seed, { maxScaleDownParallelism: 1 + Math.floor(random() * 10) });
      for (const smaller of after.filter(({ removed }) => removed > 0)) {
        for (const larger of after.filter(({ more }) => more)) {
          compared += 1;
          expect(larger.left - smaller.left, `seed ${seed}: ${JSON.stringify(after)}`).toBeLessThanOrEqual(1);
        }
      }
    }
    expect(compared).toBeGreaterThan(cases(10));
  });

  test.each<[what: string, options: Partial<Options>]>([
    ['of nodes that are drained', { maxDrainParallelism: 10, maxScaleDownParallelism: 10 }],
    ['by consolidation', { consolidation: 'delete', scaleDownUtilizationThreshold: 0, maxDrainParallelism: 10 }],
  ])('%s differ by at most one more than before', (_, options) => {
    let removals = 0;
    for (let seed = 0; seed < cases(60); seed += 1) {
      const random = randomFrom(seed + 2_000_000);
      const size = 2 + Math.floor(random() * 5);
      const sizes = ZONES.map(() => size + Math.floor(random() * 2));
      const cluster = clusterOf(seed, sizes, () => 1_000);
      const after = decided(cluster, seed, options);
      removals += after.reduce((sum, { removed }) => sum + removed, 0);
      const before = difference(sizes);
      expect(difference(after.map(({ left }) => left)), `seed ${seed}: ${sizes.join()}`).toBeLessThanOrEqual(
        before + 1,
      );
    }
    expect(removals).toBeGreaterThan(cases(60));
  });
});
