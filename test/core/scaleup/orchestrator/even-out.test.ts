import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { HOSTNAME_LABEL, type Node, ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import { CPU } from '../../../../core/model/values/resources.ts';
import { randomFrom } from '../../../../core/model/values/random.ts';
import { cases } from '../../../cases.ts';
import { pod } from '../../../builders.ts';
import { group, scenario, times } from '../../../scenario-builders.ts';

const KIB = 2 ** 10;
const GIB = 2 ** 30;
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/** Cores, GiB and USD per hour. */
const SHAPES = [
  [4, 16, 0.192],
  [8, 16, 0.34],
  [4, 32, 0.252],
] as const;

interface Drawn {
  readonly sets: readonly (readonly NodeGroup[])[];
  /** The nodes of the groups; each is full. */
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
}

/** Groups of one to three shapes in three zones each, and pods that all of them hold. */
function drawn(random: () => number, zonalPods: number): Drawn {
  const int = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const daemon = pod('daemon', { requests: { cpu: `${int(1, 4) * 50}m`, memory: '100Mi' }, owner: 'DaemonSet/agent' });
  const size = int(0, 3);
  const sets = SHAPES.slice(0, int(1, 3)).map(([cpu, gib, price]) =>
    ZONES.map((zone) => ({
      ...group(`c${cpu}-${gib}-${zone.at(-1)!}`, {
        max: 1_000,
        nodes: times(size + int(0, 1), (i) => `n-${cpu}-${gib}-${zone.at(-1)!}-${i}`),
        node: { cpu, memory: gib * GIB - int(0, 600) * KIB },
        zone,
        labels: { type: `${cpu}-${gib}` },
        templatePods: [daemon],
      }),
      price: price * (0.95 + random() / 10),
    })),
  );
  const nodes = sets.flat().flatMap((one) =>
    one.nodes.map((name) => ({
      ...one.template!.node,
      name,
      uid: name,
      labels: { ...one.template!.node.labels, [HOSTNAME_LABEL]: name },
    })),
  );
  const kinds = times(int(1, 4), () => ({ cpu: `${int(1, 34) * 100}m`, memory: int(1, 100) * (GIB / 8) }));
  const free = kinds.flatMap((requests, kind) =>
    times(int(1, 30), (i) => pod(`free-${kind}-${i}`, { requests, owner: `ReplicaSet/free-${kind}` })),
  );
  const zone = ZONES[int(0, 2)]!;
  const zonal = times(zonalPods, (i) =>
    pod(`zonal-${i}`, {
      requests: { cpu: `${int(1, 20) * 100}m`, memory: '1Gi' },
      spec: { nodeSelector: { [ZONE_LABEL]: zone } },
    }),
  );
  const shuffled = [...free, ...zonal].map((one) => [random(), one] as const).toSorted(([a], [b]) => a - b);
  return { sets, nodes, pods: [...nodes.map(filling), ...shuffled.map(([, one]) => one)] };
}

/** A pod that leaves no room on its node. */
const filling = ({ name, allocatable }: Node): Pod =>
  pod(`on-${name}`, { requests: { cpu: `${allocatable[CPU]!}m` }, node: name, owner: 'ReplicaSet/old' });

const decide = ({ sets, nodes, pods }: Drawn, seed: number, balanceSimilarNodeGroups = true): Decision =>
  evaluate(scenario({ groups: sets.flat(), nodes, pods, seed, options: { balanceSimilarNodeGroups } }));

const sizesAfter = (groups: readonly NodeGroup[], { scaleUp }: Decision): readonly number[] =>
  groups.map(({ name, targetSize }) => scaleUp.increases.find((one) => one.group === name)?.to ?? targetSize);

const difference = (sizes: readonly number[]): number => Math.max(...sizes) - Math.min(...sizes);

const costOf = (groups: readonly NodeGroup[], decision: Decision): number =>
  sizesAfter(groups, decision).reduce((sum, size, i) => sum + size * groups[i]!.price!, 0);

describe('similar node groups whose memory differs by some KiB and whose prices differ by some percent', () => {
  test.each([
    { zonalPods: 0, most: 1 },
    { zonalPods: 1, most: 2 },
    { zonalPods: 4, most: 4 },
  ])('differ in size by $most more than before a scale-up with $zonalPods pods of one zone', ({ zonalPods, most }) => {
    const ratios: number[] = [];
    for (let seed = 0; seed < cases(30); seed++) {
      const clusters = drawn(randomFrom(seed), zonalPods);
      const decision = decide(clusters, seed);
      for (const groups of clusters.sets) {
        const before = difference(groups.map(({ targetSize }) => targetSize));
        const after = sizesAfter(groups, decision);
        expect(difference(after), `seed ${seed}: ${after.join('/')}`).toBeLessThanOrEqual(before + most);
      }
      const groups = clusters.sets.flat();
      ratios.push(costOf(groups, decision) / costOf(groups, decide(clusters, seed, false)));
    }
    const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!;
    expect(median).toBeLessThanOrEqual(1.005);
  });

  test('are named where nodes were not balanced over them, with the pod or the label that is the reason', () => {
    const groups = [
      ...ZONES.map((zone) => group(`m5-${zone.at(-1)!}`, { max: 40, node: { cpu: '3920m', memory: 16 * GIB }, zone })),
      group('team', { max: 40, node: { cpu: '3920m', memory: 16 * GIB - 137 * KIB }, labels: { team: 'blue' } }),
    ];
    const zonal = times(3, (i) =>
      pod(`zonal-${i}`, { requests: { cpu: 3 }, spec: { nodeSelector: { [ZONE_LABEL]: ZONES[1]! } } }),
    );
    const { scaleUp } = decide({ sets: [groups], nodes: [], pods: zonal }, 1);
    const reason = expect.stringMatching(
      /^pod default\/zonal-0 does not fit there: node\(s\) didn't match Pod's node affinity/u,
    ) as string;
    expect(scaleUp.considered.map(({ winner, unbalanced }) => [winner, unbalanced])).toEqual([
      [
        'm5-b',
        [
          { group: 'm5-a', reason },
          { group: 'm5-c', reason },
          { group: 'team', reason: 'label team differs' },
        ],
      ],
    ]);
  });

  test('a pod of one zone, which fits beside others, changes the size of no other group by more than one node', () => {
    const groups = ZONES.map((zone, i) =>
      group(`m5-${zone.at(-1)!}`, { max: 40, node: { cpu: '3920m', memory: 16 * GIB - i * 137 * KIB }, zone }),
    );
    const free = times(24, (i) => pod(`free-${i}`, { requests: { cpu: 2, memory: '2Gi' }, owner: 'ReplicaSet/free' }));
    const sets = [groups];
    const zonal = pod('zonal', { requests: { cpu: '1500m' }, spec: { nodeSelector: { [ZONE_LABEL]: ZONES[1]! } } });
    expect(sizesAfter(sets[0]!, decide({ sets, nodes: [], pods: free }, 1))).toEqual([8, 8, 8]);
    expect(sizesAfter(sets[0]!, decide({ sets, nodes: [], pods: [...free, zonal] }, 1))).toEqual([8, 8, 8]);
  });
});
