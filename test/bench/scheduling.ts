import { groupName } from '../../core/model/values/names.ts';
import { ZONE_LABEL, type Node } from '../../core/model/cluster/node.ts';
import type { Pod, PodSpec } from '../../core/model/cluster/pod.ts';
import type { PodKind } from '../../core/model/snapshot/pod-kind.ts';
import { clusterSnapshot } from '../../core/scheduling/cluster-snapshot.ts';
import { createScheduler } from '../../core/scheduling/scheduler.ts';
import type { Benchmark } from './measure.ts';
import {
  affinityTerm,
  clusterObjects,
  container,
  node,
  pod,
  POD_SPEC,
  selector,
  spreadConstraint,
} from '../builders.ts';

const ZONES = ['a', 'b', 'c'];
const GROUP = groupName('bench');

/**
 * Every verdict about 50 kinds of pods on 5 000 nodes of 30 pods, snapshot and counters included; and 20 000 pods with
 * zonal and hostname constraints placed on 4 000 nodes that are made for them.
 */
export const schedulingBenchmarks: Readonly<Record<string, Benchmark>> = {
  'feasibility-5000x50': { goalMs: 500, prepare: feasibility },
  'placing-20000': { goalMs: 800, prepare: placement },
};

const inZone = (name: string, i: number, extra: Partial<Node> = {}): Node =>
  node(
    name,
    { cpu: 16, memory: '64Gi' },
    {
      ...extra,
      labels: {
        [ZONE_LABEL]: ZONES[i % 3]!,
        'node.kubernetes.io/instance-type': i % 2 === 0 ? 'm6i.4xlarge' : 'r6i.4xlarge',
        'kubernetes.io/arch': i % 5 === 0 ? 'arm64' : 'amd64',
        disk: i % 4 === 0 ? 'hdd' : 'ssd',
      },
    },
  );

/** 50 workloads in five namespaces; every constraint that plugins know, alone and together. */
function workload(i: number): { readonly labels: Pod['labels']; readonly namespace: string; readonly spec: PodSpec } {
  const app = `app-${i}`;
  const own = selector({ app });
  const term = (topologyKey: string) => affinityTerm(topologyKey, own);
  const spread = (topologyKey: string) =>
    spreadConstraint(topologyKey, own, { maxSkew: 2, nodeTaintsPolicy: i % 2 === 0 ? 'Honor' : 'Ignore' });
  const spec: PodSpec = {
    ...POD_SPEC,
    containers: [
      container(
        { cpu: '100m', memory: '256Mi' },
        { hostPorts: i % 10 === 9 ? [{ hostIP: '', hostPort: 8080, protocol: 'TCP' }] : [] },
      ),
    ],
    topologySpread: [
      ...(i % 5 === 0 ? [spread(ZONE_LABEL)] : []),
      ...(i % 5 === 1 ? [spread('kubernetes.io/hostname')] : []),
    ],
    podAntiAffinity: i % 5 === 2 ? [term('kubernetes.io/hostname')] : [],
    podAffinity: i % 5 === 3 ? [term(ZONE_LABEL)] : [],
    nodeSelector: i % 7 === 0 ? { disk: 'ssd' } : {},
    nodeAffinity:
      i % 3 === 0
        ? [
            {
              matchExpressions: [
                { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
                { key: ZONE_LABEL, operator: 'NotIn', values: ['d'] },
              ],
              matchFields: [],
            },
          ]
        : null,
    tolerations: i % 4 === 0 ? [tolerated] : [],
  };
  return { labels: { app }, namespace: `ns-${i % 5}`, spec };
}

const tolerated = { key: 'dedicated', operator: 'Exists', value: '', effect: '', tolerationSeconds: null };
const taint = { key: 'dedicated', value: 'batch', effect: 'NoSchedule' };

function feasibility(): () => string {
  const workloads = Array.from({ length: 50 }, (_, i) => workload(i));
  const nodes = Array.from({ length: 5_000 }, (_, i) =>
    inZone(`node-${i}`, i, i % 10 === 0 ? { taints: [taint] } : {}),
  );
  const pods: Pod[] = [];
  for (const [i, { name }] of nodes.entries()) {
    for (let j = 0; j < 30; j++) {
      const of = workloads[(i * 7 + j * 11) % 50]!;
      pods.push(pod(`pod-${i}-${j}`, { ...of, node: name }));
    }
  }
  const pending = Array.from({ length: 1_000 }, (_, i) => pod(`pending-${i}`, workloads[i % 50]));
  // The builders copy; in a cluster that was read, pods of one workload share their spec.
  const shared = (given: readonly Pod[]): readonly Pod[] =>
    given.map((each) => ({ ...each, spec: workloads[Number(each.labels['app']!.slice(4))]!.spec }));
  const objects = clusterObjects({ nodes, pods: shared(pods) });
  const waiting = shared(pending);

  return () => {
    const snapshot = clusterSnapshot(objects, waiting);
    const scheduler = createScheduler(snapshot, objects);
    const kinds = new Set(waiting.map((each) => snapshot.kindOf(each)));
    let feasible = 0;
    for (const kind of kinds) {
      for (const info of snapshot.nodes) {
        if (scheduler.check(kind, info!) === null) {
          feasible++;
        }
      }
    }
    return `${feasible} of ${kinds.size * nodes.length} pairs feasible`;
  };
}

function placement(): () => string {
  const spec = (i: number): Pod => {
    const { labels, namespace, spec: given } = workload(i);
    return pod(`kind-${i}`, { labels, namespace, spec: { ...given, nodeAffinity: null, nodeSelector: {} } });
  };
  // Zonal spread, hostname spread, hostname anti-affinity, zonal affinity.
  const pods = [spec(5), spec(1), spec(2), spec(3)];
  const objects = clusterObjects();
  const nodes = Array.from({ length: 4_000 }, (_, i) => inZone(`new-${i}`, i));
  return () => {
    const snapshot = clusterSnapshot(objects, pods);
    const scheduler = createScheduler(snapshot, objects);
    const kinds: readonly PodKind[] = pods.map((each) => snapshot.kindOf(each));
    snapshot.fork();
    for (const each of nodes) {
      snapshot.addNode(each, GROUP);
    }
    let placed = 0;
    for (const kind of kinds) {
      let left = 5_000;
      for (let round = 0; left > 0 && round < 8; round++) {
        for (const info of snapshot.nodes) {
          if (left > 0 && scheduler.check(kind, info!) === null) {
            snapshot.place(kind, info!);
            placed++;
            left--;
          }
        }
      }
    }
    snapshot.revert();
    return `${placed} of ${kinds.length * 5_000} pods placed`;
  };
}
