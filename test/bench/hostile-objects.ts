/**
 * What one person with `edit` in one namespace can do to an evaluation. Pods of a megabyte are made, encoded and served by
 * another process, so that the memory of this one is the function's.
 */
import { evaluate } from '../../core/evaluate.ts';
import { defaultOptions } from '../../core/model/options.ts';
import { DEFAULT_TLS } from '../../providers/kubernetes/client/connection.ts';
import { createClusterReader } from '../../providers/kubernetes/read/reader.ts';
import { group, NOW, scenario, times } from '../scenario-builders.ts';
import { budgets, NODES } from './hostile-cluster.ts';
import { node, pod } from '../builders.ts';
import { startServer } from './list-server.ts';
import type { Benchmark } from './measure.ts';

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

export const hostileBenchmarks: Readonly<Record<string, Benchmark>> = {
  'hostile-objects': evaluation('protobuf'),
  'hostile-objects-json': evaluation('json'),
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
