/**
 * Harm that one person with `edit` in one namespace can do to an evaluation. Pods of a megabyte are made, encoded and served by
 * another process, so that the memory of this one is the function's.
 */
import { evaluate } from '../../core/evaluate.ts';
import { defaultOptions } from '../../core/model/options.ts';
import { DEFAULT_TLS } from '../../providers/kubernetes/client/connection.ts';
import { group, NOW, scenario, times } from '../scenario-builders.ts';
import { budgets, NODES } from './hostile-cluster.ts';
import type { Pod, PodSpec } from '../../core/model/cluster/pod.ts';
import { affinityTerm, type Amounts, node, pod, selector } from '../builders.ts';
import { startServer } from './list-server.ts';
import type { Benchmark } from './measure.ts';
import { createClusterReader } from '../cluster-access.ts';

/** Reads a cluster of 200 nodes and evaluates it, as the function does. */
const evaluation = (encoding: 'protobuf' | 'json'): Benchmark => ({
  goalMs: 5_000,
  runs: 3,
  prepare: async () => {
    const reader = createClusterReader({
      server: await startServer('hostile-server.ts', encoding),
      tls: DEFAULT_TLS,
      token: null,
      proxy: null,
    });
    return async () => {
      const { objects } = await reader.read();
      const before = process.cpuUsage();
      const { scaleUp, scaleDown } = evaluate(
        scenario({
          groups: [group('g', { nodes: NODES, max: 1_000 })],
          objects,
          options: { ...defaultOptions(), skipNodesWithCustomControllerPods: false },
        }),
      );
      const { user, system } = process.cpuUsage(before);
      const triggered = scaleUp.pods.filter(({ outcome }) => outcome === 'Triggered').length;
      return `${triggered} victims get a node, ${scaleDown.unremovable.length} nodes stay, the evaluation takes ${Math.round((user + system) / 1_000)} ms of CPU`;
    };
  },
});

/** 64 terms that name labels which no pod has; they select no pod, or with `DoesNotExist` every pod. */
const ownTerms = (of: number, operator = 'Exists'): Partial<PodSpec> => ({
  podAntiAffinity: times(64, (i) =>
    affinityTerm('kubernetes.io/hostname', selector({}, { key: `k${of}-${i}`, operator, values: [] }), selector()),
  ),
});

/** Replicas of one app keep apart. */
const apart = (app: string): Partial<PodSpec> => ({
  podAntiAffinity: [{ ...ownTerms(0).podAntiAffinity![0]!, labelSelector: selector({ app }), namespaceSelector: null }],
});

interface Hostile {
  readonly spec: (i: number) => Partial<PodSpec>;
  readonly requests?: (i: number) => Amounts;
  readonly namespaces?: number;
  /** Workloads of the ordinary pods. */
  readonly apps?: number;
}

/** 2,000 pending pods, each within the limits of a pod, beside 300 nodes with seven ordinary pods each. */
function manyTerms({ spec, requests = () => ({ cpu: '1m' }), namespaces = 1, apps = 100 }: Hostile): Benchmark {
  const nodes = times(300, (i) => `n-${i}`);
  const ordinary = (i: number): Pod =>
    pod(`p-${i}`, {
      node: nodes[i % nodes.length]!,
      requests: { cpu: '500m' },
      labels: { app: `app-${i % apps}` },
      spec: apart(`app-${i % apps}`),
      owner: `ReplicaSet/app-${i % apps}`,
      startedAt: NOW,
    });
  return {
    goalMs: 5_000,
    // The first evaluation of a process, as in a function that has just started.
    runs: 1,
    warmUps: 0,
    prepare: () => {
      const input = scenario({
        groups: [group('g', { nodes, max: 1_000 })],
        nodes: nodes.map((name) => node(name, { cpu: 4, memory: '16Gi' })),
        pods: [
          ...times(2_100, ordinary),
          ...times(2_000, (i) =>
            pod(`evil-${i}`, { namespace: `evil-${i % namespaces}`, requests: requests(i), spec: spec(i) }),
          ),
          ...times(10, (i) => pod(`victim-${i}`, { requests: { cpu: 3.9 } })),
        ],
      });
      return () => {
        const { pods } = evaluate(input).scaleUp;
        const served = pods.filter((one) => one.pod.startsWith('default/') && one.outcome === 'Triggered');
        return `${served.length} victims get a node`;
      };
    },
  };
}

export const hostileBenchmarks: Readonly<Record<string, Benchmark>> = {
  'hostile-objects': evaluation('protobuf'),
  'hostile-objects-json': evaluation('json'),
  'hostile-terms': manyTerms({ spec: (i) => ownTerms(i) }),
  'hostile-terms-alike': manyTerms({ spec: () => ownTerms(0), requests: (i) => ({ cpu: `${i + 1}m` }) }),
  'hostile-terms-for-all': manyTerms({ spec: (i) => ownTerms(i, 'DoesNotExist') }),
  'hostile-terms-namespaces': manyTerms({ spec: (i) => ownTerms(i, 'DoesNotExist'), namespaces: 5, apps: 1_000 }),
  'hostile-budgets': {
    goalMs: 2_000,
    runs: 3,
    prepare: () => {
      const input = scenario({
        groups: [group('g', { nodes: times(100, (i) => `n-${i}`), max: 1_000 })],
        nodes: times(100, (i) => node(`n-${i}`, { cpu: 4, memory: '16Gi' })),
        pods: times(2_000, (i) =>
          pod(`p-${i}`, {
            namespace: 'evil',
            node: `n-${i % 100}`,
            labels: { app: 'a' },
            owner: 'ReplicaSet/a',
            startedAt: NOW,
          }),
        ),
        objects: { podDisruptionBudgets: budgets(4_000) },
        options: { skipNodesWithCustomControllerPods: false },
      });
      return () => `${evaluate(input).scaleDown.unremovable.length} nodes stay`;
    },
  },
};
