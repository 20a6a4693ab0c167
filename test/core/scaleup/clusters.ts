import fc from 'fast-check';
import { HOSTNAME_LABEL, type Node, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import type { Options } from '../../../core/model/options.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { affinityTerm, type Amounts, node, pod, selector, spreadConstraint } from '../../builders.ts';
import { group, NOW, scaleUpRequest, scenario, times, zoneLabels } from '../../scenario-builders.ts';

const GPU_LABEL = 'k8s.amazonaws.com/accelerator';
const GPU = 'nvidia.com/gpu';

const ZONES = ['us-east-1a', 'us-east-1b'] as const;

const term = (app: string, topologyKey: string): PodAffinityTerm => affinityTerm(topologyKey, selector({ app }));

const spread = (app: string, topologyKey: string): TopologySpreadConstraint =>
  spreadConstraint(topologyKey, selector({ app }));

/** Placement constraints between the pods of one workload. */
const CONSTRAINTS = ['none', 'none', 'none', 'apart', 'zonal', 'hosts', 'together'] as const;

const groupArb = fc.record({
  cpu: fc.constantFrom(2, 4, 8),
  gib: fc.constantFrom(8, 16),
  gpus: fc.constantFrom(0, 0, 0, 2),
  max: fc.nat(8),
  there: fc.nat(2),
  coming: fc.nat(2),
  zone: fc.constantFrom(...ZONES),
  tainted: fc.constantFrom(false, false, false, true),
  price: fc.constantFrom(null, 0.1, 0.3),
});

const workloadArb = fc.record({
  count: fc.integer({ min: 1, max: 14 }),
  running: fc.nat(2),
  cpu: fc.constantFrom(100, 500, 1_000, 1_500, 3_000),
  gib: fc.constantFrom(0, 1, 3, 7),
  gpu: fc.constantFrom(0, 0, 0, 0, 1),
  constraint: fc.constantFrom(...CONSTRAINTS),
  /** Which pods it keeps apart from, or goes along with. */
  other: fc.nat(5),
  zone: fc.constantFrom(null, null, null, ...ZONES),
  tolerant: fc.boolean(),
  priority: fc.constantFrom(0, 0, 100),
});

/** Clusters of several groups with nodes that are there, full and empty, and on their way; and pods of every kind. */
export const clusterArb = fc.record({
  groups: fc.array(groupArb, { minLength: 1, maxLength: 5 }),
  workloads: fc.array(workloadArb, { minLength: 1, maxLength: 6 }),
  lone: fc.nat(1),
  maxNodesTotal: fc.constantFrom(0, 0, 5, 9, 14),
  cores: fc.constantFrom(320_000, 320_000, 16, 40),
  memory: fc.constantFrom(6_400_000, 6_400_000, 64, 120),
  gpus: fc.constantFrom(null, 3),
  maxNodesPerScaleup: fc.constantFrom(1_000, 1_000, 3),
  salvoScaleUp: fc.constantFrom(true, true, false),
  balanceSimilarNodeGroups: fc.boolean(),
  expander: fc.constantFrom('least-waste', 'most-pods', 'least-nodes', 'price', 'random'),
  seed: fc.nat(),
});

type Given = typeof clusterArb extends fc.Arbitrary<infer T> ? T : never;

export function clusterOf(given: Given, options: Partial<Options> = {}): Scenario {
  const { groups, workloads } = given;
  const amounts = (of: Given['groups'][number]): Amounts => ({
    cpu: of.cpu,
    memory: `${of.gib}Gi`,
    ...(of.gpus === 0 ? {} : { [GPU]: of.gpus }),
  });
  const taints = (of: Given['groups'][number]): Node['taints'] =>
    of.tainted ? [{ key: 'dedicated', value: 'yes', effect: 'NoSchedule' }] : [];
  const labels = (of: Given['groups'][number]) => ({
    ...zoneLabels(of.zone),
    ...(of.gpus === 0 ? {} : { [GPU_LABEL]: 't4' }),
  });
  const names = groups.map(({ there, max }, g) => times(Math.min(there, max), (i) => `g${g}-n${i}`));
  const coming = groups.map(({ coming: more, max }, g) => Math.min(more, max - names[g]!.length));
  const nodes = [
    ...groups.flatMap((of, g) =>
      names[g]!.map((name) => node(name, amounts(of), { labels: labels(of), taints: taints(of) })),
    ),
    ...times(given.lone, () => node('lone', { cpu: 3, memory: '8Gi' }, { labels: zoneLabels(ZONES[0]) })),
  ];
  const ofWorkload = (of: Given['workloads'][number], w: number, name: string, home?: string): Pod => {
    const other = `w${of.other % workloads.length}`;
    return pod(name, {
      labels: { app: `w${w}` },
      owner: `ReplicaSet/w${w}`,
      requests: { cpu: `${of.cpu}m`, memory: `${of.gib}Gi`, ...(of.gpu === 0 ? {} : { [GPU]: of.gpu }) },
      ...(home === undefined ? {} : { node: home }),
      spec: {
        priority: of.priority,
        nodeSelector: of.zone === null ? {} : { [ZONE_LABEL]: of.zone },
        tolerations: of.tolerant
          ? [{ key: 'dedicated', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }]
          : [],
        podAntiAffinity: of.constraint === 'apart' ? [term(other, HOSTNAME_LABEL)] : [],
        podAffinity: of.constraint === 'together' ? [term(other, ZONE_LABEL)] : [],
        topologySpread:
          of.constraint === 'zonal'
            ? [spread(`w${w}`, ZONE_LABEL)]
            : of.constraint === 'hosts'
              ? [spread(`w${w}`, HOSTNAME_LABEL)]
              : [],
      },
    });
  };
  const homes = nodes.map(({ name }) => name);
  return scenario({
    groups: groups.map((of, g) => ({
      ...group(`g${g}`, {
        node: amounts(of),
        labels: labels(of),
        taints: taints(of),
        max: of.max,
        nodes: names[g]!,
        target: names[g]!.length + coming[g]!,
      }),
      price: of.price,
    })),
    nodes,
    pods: workloads.flatMap((of, w) => [
      ...times(of.count, (i) => ofWorkload(of, w, `w${w}-${i}`)),
      ...(homes.length === 0
        ? []
        : times(of.running, (i) => ofWorkload(of, w, `w${w}-r${i}`, homes[(w * 3 + i) % homes.length]))),
    ]),
    options: {
      maxNodesTotal: given.maxNodesTotal,
      coresTotal: { min: 0, max: given.cores },
      memoryTotal: { min: 0, max: given.memory },
      gpuTotal: given.gpus === null ? [] : [{ type: 't4', min: 0, max: given.gpus }],
      maxNodesPerScaleup: given.maxNodesPerScaleup,
      salvoScaleUp: given.salvoScaleUp,
      balanceSimilarNodeGroups: given.balanceSimilarNodeGroups,
      expander: [given.expander],
      ...options,
    },
    state: {
      scaleUpRequests: groups.flatMap((_, g) =>
        coming[g]! > 0 ? [scaleUpRequest(`g${g}`, coming[g]!, epochMs(NOW - 60_000))] : [],
      ),
    },
    seed: given.seed,
  });
}
