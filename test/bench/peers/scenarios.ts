import type { V1Node, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { setTimeout as delay } from 'node:timers/promises';
import { followChanges } from '../../e2e/changes.ts';
import type { E2eCluster } from '../../e2e/cluster.ts';
import { openbKinds } from '../../e2e/placement/openb-kinds.ts';
import { recordStarts } from '../../e2e/placement/starts.ts';
import { type Crowd, isOfCrowd } from './crowd.ts';
import { type Autoscaler, type Figures, figuresOfFall, type Ground } from './peer.ts';
import { footprintOf } from './footprint.ts';
import { simulateKarpenter } from './simulated-karpenter.ts';

export interface Scenario {
  readonly name: string;
  readonly ground: Pick<Ground, 'instanceType' | 'price' | 'most'>;
  /** Absent: none. */
  readonly crowd?: Crowd;
  readonly run: (cluster: E2eCluster, autoscaler: Autoscaler, zones: readonly string[]) => Promise<Figures>;
  /** Plays the same, at the same times as a run of Karpenter, with the Karpenter of backtests; absent: it is not played. */
  readonly simulate?: (ground: Ground, karpenter: Figures) => Promise<Figures>;
}

const TRACED_PODS = 400;
const LEFT = 0.4;
const SHRINKING_MS = 150_000;
const CROWD_BURST = 500;
const CROWD_DEPLOYMENTS = 20;
const ZONE = 'topology.kubernetes.io/zone';

const SMALL: readonly Scenario[] = [
  {
    name: '31 pods, then the loss of a zone',
    ground: { instanceType: 'm5.xlarge', price: 0.192, most: 40 },
    async run(cluster, autoscaler, zones) {
      const mix = mixOf(zones);
      const count = mix.reduce((sum, { replicas }) => sum + replicas, 0);
      const burst = await burstOf(cluster, autoscaler, count, () =>
        Promise.all(
          mix.map(({ replicas, cpuMilli, constraints }, index) => {
            const name = `mix-${index}`;
            const requests = { cpuMilli, memoryMib: 512 };
            return cluster.createDeployment(name, replicas, requests, constraints({ app: name }));
          }),
        ),
      );
      const lost = performance.now();
      await loseZone(cluster, autoscaler, zones[0]!);
      await cluster.untilRunning(count);
      return { ...burst, 'all running after the loss of a zone, s': since(lost) };
    },
  },
  {
    name: '400 pods of OpenB, then a fall to 40 %',
    ground: { instanceType: 'r5.12xlarge', price: 3.024, most: 80 },
    async run(cluster, autoscaler) {
      const kinds = openbKinds(TRACED_PODS);
      const hours = recordNodeHours(cluster);
      const nameOf = (index: number): string => `kind-${index}`;
      const burst = await burstOf(cluster, autoscaler, TRACED_PODS, () =>
        Promise.all(kinds.map((kind, index) => cluster.createDeployment(nameOf(index), kind.replicas, kind))),
      );
      const evictions = recordEvictions(cluster);
      const before = footprintOf(autoscaler.pid).cpuSeconds;
      await scaleTo(
        cluster,
        kinds.map(({ replicas }, index) => ({ name: nameOf(index), replicas: Math.ceil(replicas * LEFT) })),
      );
      await delay(SHRINKING_MS);
      evictions.stop();
      const nodeHours = hours.stop();
      return {
        ...burst,
        ...figuresOfFall(burst['nodes']!, await nodesOf(cluster), nodeHours, evictions.of.size),
        'CPU of the fall, s': footprintOf(autoscaler.pid).cpuSeconds - before,
        'memory, MB': footprintOf(autoscaler.pid).peakMb,
      };
    },
    simulate: (ground, karpenter) =>
      simulateKarpenter(ground, {
        kinds: openbKinds(TRACED_PODS),
        left: LEFT,
        fallAfter: Math.round(karpenter['all pods, s']!),
        shrinking: SHRINKING_MS / 1_000,
      }),
  },
];

/** A burst, the loss of a zone and a fall beside a crowd. */
const besideCrowd = (crowd: Crowd): Scenario => ({
  name: `500 pods beside ${crowd.nodes} nodes with ${crowd.nodes * crowd.podsPerNode} pods`,
  ground: { instanceType: 'm5.4xlarge', price: 0.768, most: 60 },
  crowd,
  async run(cluster, autoscaler, zones) {
    const names = Array.from({ length: CROWD_DEPLOYMENTS }, (_, index) => `burst-${index}`);
    const replicas = CROWD_BURST / CROWD_DEPLOYMENTS;
    const burst = await burstOf(cluster, autoscaler, CROWD_BURST, () =>
      Promise.all(
        names.map((name, index) =>
          cluster.createDeployment(name, replicas, { cpuMilli: 250 * (1 + (index % 4)), memoryMib: 700 + 90 * index }),
        ),
      ),
    );
    const lost = performance.now();
    await loseZone(cluster, autoscaler, zones[0]!);
    await cluster.untilRunning(CROWD_BURST);
    const replaced = since(lost);
    const before = await nodesOf(cluster);
    const evictions = recordEvictions(cluster);
    const fallen = footprintOf(autoscaler.pid).cpuSeconds;
    await scaleTo(
      cluster,
      names.map((name) => ({ name, replicas: Math.ceil(replicas * LEFT) })),
    );
    await delay(SHRINKING_MS);
    evictions.stop();
    const { cpuSeconds, peakMb, readMb } = footprintOf(autoscaler.pid);
    const after = await nodesOf(cluster);
    return {
      ...burst,
      nodes: burst['nodes']! - crowd.nodes,
      'all running after the loss of a zone, s': replaced,
      'nodes 150 s after the fall': after - crowd.nodes,
      'nodes before the fall': before - crowd.nodes,
      'evicted for each removed node': evictions.of.size / Math.max(1, before - after),
      'CPU of the fall, s': cpuSeconds - fallen,
      'memory, MB': peakMb,
      'read, MB': readMb,
    };
  },
});

/** `CROWD=1000x30,5000x30`: so many nodes with so many pods each. */
const CROWDS = (process.env['CROWD'] ?? '').split(',').filter((text) => text !== '');

export const SCENARIOS: readonly Scenario[] =
  CROWDS.length === 0
    ? SMALL
    : CROWDS.map((text) => {
        const [nodes, podsPerNode] = text.split('x').map(Number) as [number, number];
        return besideCrowd({ nodes, podsPerNode });
      });

async function burstOf(
  cluster: E2eCluster,
  { pid }: Autoscaler,
  count: number,
  create: () => Promise<unknown>,
): Promise<Figures> {
  const before = footprintOf(pid).cpuSeconds;
  const starts = recordStarts(cluster);
  const first = recordFirstNode(cluster, await nodesOf(cluster));
  const begin = performance.now();
  await create();
  await cluster.untilRunning(count);
  starts.stop();
  first.stop();
  const after = starts.after(begin);
  const at = (share: number): number => after[Math.ceil(share * after.length) - 1] ?? Number.NaN;
  const used = footprintOf(pid);
  return {
    'first new node, s': (first.at() - begin) / 1_000,
    'half of the pods, s': at(0.5),
    '95 % of the pods, s': at(0.95),
    'all pods, s': at(1),
    nodes: await nodesOf(cluster),
    'CPU of the burst, s': used.cpuSeconds - before,
    'memory, MB': used.peakMb,
  };
}

async function scaleTo(
  { kube, name: namespace }: E2eCluster,
  deployments: readonly { readonly name: string; readonly replicas: number }[],
): Promise<void> {
  await Promise.all(
    deployments.map(({ name, replicas }) =>
      kube.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`, { spec: { replicas } }),
    ),
  );
}

const since = (begin: number): number => (performance.now() - begin) / 1_000;

const nodesOf = async ({ kube }: E2eCluster): Promise<number> => (await kube.list<V1Node>('/api/v1/nodes')).length;

/** Notes when there is a node more, until stopped. */
function recordFirstNode({ kube }: E2eCluster, before: number) {
  let at = Number.NaN;
  const stop = followChanges<V1Node>(kube, '/api/v1/nodes', (nodes) => {
    at = Number.isNaN(at) && nodes.length > before ? performance.now() : at;
  });
  return { at: () => at, stop };
}

/** Adds up the time for which nodes are there, until stopped. */
function recordNodeHours({ kube }: E2eCluster) {
  let sum = 0;
  let count = 0;
  let at = performance.now();
  const add = (now: number): void => {
    sum += count * (now - at);
    at = now;
  };
  const stop = followChanges<V1Node>(kube, '/api/v1/nodes', (nodes) => {
    add(performance.now());
    count = nodes.length;
  });
  return {
    stop: (): number => {
      stop();
      add(performance.now());
      return sum / 3_600_000;
    },
  };
}

/** Notes the pods that are evicted, until stopped. */
function recordEvictions({ kube, name }: E2eCluster) {
  const of = new Set<string>();
  const stop = followChanges<V1Pod>(kube, `/api/v1/namespaces/${name}/pods`, (pods) => {
    for (const { metadata, status } of pods) {
      if (status?.conditions?.some(({ reason }) => reason === 'EvictionByEvictionAPI') === true) {
        of.add(metadata?.uid ?? '');
      }
    }
  });
  return { of, stop };
}

/** All nodes of a zone but for a crowd's fail at once, with their pods, and none are launched there again. */
async function loseZone({ kube, name: namespace }: E2eCluster, autoscaler: Autoscaler, zone: string): Promise<void> {
  await autoscaler.loseZone(zone);
  const nodes = (await kube.list<V1Node>('/api/v1/nodes')).flatMap(({ metadata }) =>
    metadata?.labels?.[ZONE] === zone && !isOfCrowd(metadata.name!) ? metadata.name! : [],
  );
  await Promise.all(
    nodes.map(async (node) => {
      await kube.patch(`/api/v1/nodes/${node}`, { metadata: { finalizers: null } }).catch(() => undefined);
      await kube.remove(`/api/v1/nodes/${node}`);
    }),
  );
  const pods = await kube.list<V1Pod>(`/api/v1/namespaces/${namespace}/pods`);
  await Promise.all(
    pods
      .filter(({ spec }) => nodes.includes(spec?.nodeName ?? ''))
      .map(({ metadata }) => kube.remove(`/api/v1/namespaces/${namespace}/pods/${metadata!.name}`, 0)),
  );
}

interface Mixed {
  readonly replicas: number;
  readonly cpuMilli: number;
  /** A part of the pod's spec. */
  readonly constraints: (matchLabels: { readonly app: string }) => Partial<V1PodSpec>;
}

const mixOf = (zones: readonly string[]): readonly Mixed[] => [
  {
    replicas: 12,
    cpuMilli: 500,
    constraints: (matchLabels) => ({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels } },
      ],
    }),
  },
  {
    replicas: 6,
    cpuMilli: 1_000,
    constraints: (matchLabels) => ({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels } },
          ],
        },
      },
    }),
  },
  { replicas: 9, cpuMilli: 2_000, constraints: () => ({}) },
  { replicas: 4, cpuMilli: 1_500, constraints: () => ({ nodeSelector: { [ZONE]: zones[1] } }) },
];
