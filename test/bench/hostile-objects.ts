/**
 * Pods as one person with `edit` in one namespace can write them: of a megabyte each, which is about what the API server
 * takes, made of whatever the simulation multiplies by something else. They are read as the API server lists them.
 */
import { evaluate } from '../../core/evaluate.ts';
import { CPU } from '../../core/model/resources.ts';
import type { Pod } from '../../core/model/pod.ts';
import type { PodDisruptionBudget } from '../../core/model/workloads.ts';
import { podReader } from '../../providers/kubernetes/manifest/pod.ts';
import { node, pod, selector } from '../builders.ts';
import { group, NOW, scenario, times } from '../scenario-builders.ts';
import type { Benchmark } from './measure.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** As many as make a megabyte. */
function megabyteOf<T>(make: (i: number) => T): readonly T[] {
  const size = (JSON.stringify(make(0)).length + JSON.stringify(make(9_999)).length) / 2;
  return times(Math.floor(1_000_000 / size), make);
}

const labels = (of: string): Readonly<Record<string, string>> =>
  Object.fromEntries(megabyteOf((i) => [`${of}/k${i}`, `v${i}`]));

/** By what there is too much of. */
const SPECS: Readonly<Record<string, (seed: number) => object>> = {
  antiAffinity: (seed) => ({
    affinity: {
      podAntiAffinity: {
        [REQUIRED]: megabyteOf((i) => ({
          topologyKey: `x/${seed}-${i}`,
          labelSelector: { matchExpressions: [{ key: `k${seed}-${i}`, operator: 'DoesNotExist' }] },
          namespaceSelector: {},
        })),
      },
    },
  }),
  spread: (seed) => ({
    topologySpreadConstraints: megabyteOf((i) => ({
      maxSkew: 1,
      topologyKey: `x/${seed}-${i}`,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: {},
    })),
  }),
  selectorKeys: (seed) => ({
    affinity: {
      podAntiAffinity: { [REQUIRED]: [{ topologyKey: 'x', labelSelector: { matchLabels: labels(`s${seed}`) } }] },
    },
  }),
  mostFollowed: (seed) => ({
    affinity: {
      podAntiAffinity: {
        [REQUIRED]: times(64, (i) => ({
          topologyKey: `x/${seed}-${i}`,
          labelSelector: {
            matchExpressions: times(3, (k) => ({ key: `f${seed}-${i}-${k}`, operator: 'DoesNotExist' })),
          },
          namespaceSelector: {},
        })),
      },
    },
  }),
  nodeAffinity: () => ({
    affinity: {
      nodeAffinity: {
        [REQUIRED]: {
          nodeSelectorTerms: megabyteOf((i) => ({ matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] })),
        },
      },
    },
  }),
  tolerations: () => ({ tolerations: megabyteOf((i) => ({ key: `t${i}`, operator: 'Exists' })) }),
  volumes: () => ({ volumes: megabyteOf((i) => ({ name: `v${i}`, awsElasticBlockStore: { volumeID: `vol-${i}` } })) }),
  ports: () => ({
    containers: [
      { name: 'c', ports: megabyteOf((i) => ({ hostPort: (i % 65_535) + 1, hostIP: `10.0.0.${i % 250}` })) },
    ],
  }),
  containers: () => ({
    containers: megabyteOf((i) => ({ name: `c${i}`, resources: { requests: { [`example.com/r${i}`]: '1' } } })),
  }),
  claimName: () => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c'.repeat(1_000_000) } }] }),
};

/** A hundred pods of a megabyte, half of them on nodes. */
function hostilePods(): readonly Pod[] {
  const read = podReader();
  const kinds = Object.keys(SPECS);
  return times(100, (i) => {
    const own = SPECS[kinds[i % kinds.length]!]!(i);
    const running = Math.floor(i / kinds.length) % 2 === 0;
    const raw = {
      metadata: {
        name: `evil-${i}`,
        namespace: 'evil',
        uid: `evil-${i}`,
        ...(kinds[i % kinds.length] === 'mostFollowed' && { labels: labels(`l${i}`) }),
        annotations: { 'karpenter.sh/do-not-disrupt': '1'.repeat(200_000) },
      },
      spec: { containers: [{ name: 'c' }], ...own, ...(running && { nodeName: `n-${i}` }) },
      status: running
        ? { phase: 'Running' }
        : { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
    };
    const problems: never[] = [];
    const evil = read(JSON.parse(JSON.stringify(raw)), '', problems);
    if (problems.length > 0) {
      throw new Error(`bench: ${JSON.stringify(problems[0])}`);
    }
    return evil;
  });
}

const budgets = (count: number): readonly PodDisruptionBudget[] =>
  times(count, (i) => ({
    namespace: 'evil',
    name: `budget-${i}`,
    selector: selector(),
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    disruptedPods: {},
    generation: 1,
    observedGeneration: 1,
  }));

export const hostileBenchmarks: Readonly<Record<string, Benchmark>> = {
  'hostile-objects': {
    goalMs: 5_000,
    runs: 3,
    prepare: () => {
      const nodes = times(200, (i) => node(`n-${i}`, { cpu: 4, memory: '16Gi' }));
      const ordinary = times(3_000, (i) =>
        pod(`p-${i}`, {
          node: `n-${i % 200}`,
          requests: { cpu: '50m' },
          labels: { app: `app-${i % 100}` },
          owner: `ReplicaSet/app-${i % 100}`,
          startedAt: NOW,
        }),
      );
      const victims = times(10, (i) => pod(`victim-${i}`, { requests: { cpu: 3.9 } }));
      const input = scenario({
        groups: [group('g', { nodes: nodes.map(({ name }) => name), max: 1_000 })],
        nodes,
        pods: [...ordinary, ...victims, ...hostilePods()],
        objects: { podDisruptionBudgets: budgets(4_000) },
        options: { skipNodesWithCustomControllerPods: false },
      });
      return () => {
        const { scaleUp, scaleDown } = evaluate(input);
        const triggered = scaleUp.pods.filter(({ outcome }) => outcome === 'Triggered').length;
        return `${triggered} victims get a node (${input.nodeGroups[0]!.template!.node.allocatable[CPU]! / 1_000} cpu), ${scaleDown.unremovable.length} nodes stay`;
      };
    },
  },
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
