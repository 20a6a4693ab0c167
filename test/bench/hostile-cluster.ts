/** The cluster around the pods of hostile-pods.ts: 200 nodes, 3 000 ordinary pods, ten that wait. */
import type { PodDisruptionBudget } from '../../core/model/cluster/workloads.ts';
import { NO_OBJECTS } from '../../core/model/scenario.ts';
import type { Manifest } from '../../providers/manifest/fields.ts';
import { writeObjects } from '../../providers/manifest/objects.ts';
import { budget, node, pod, selector } from '../builders.ts';
import { NOW, times } from '../scenario-builders.ts';

export const NODES = times(200, (i) => `n-${i}`);

export const budgets = (count: number): readonly PodDisruptionBudget[] =>
  times(count, (i) => budget({ namespace: 'evil', name: `budget-${i}`, selector: selector() }));

/** The manifests of all but the hostile pods. */
export function ordinaryObjects(): readonly Manifest[] {
  const ordinary = times(3_000, (i) =>
    pod(`p-${i}`, {
      node: NODES[i % NODES.length]!,
      requests: { cpu: '50m' },
      labels: { app: `app-${i % 100}` },
      owner: `ReplicaSet/app-${i % 100}`,
      startedAt: NOW,
    }),
  );
  const victims = times(10, (i) => pod(`victim-${i}`, { requests: { cpu: 3.9 } }));
  return writeObjects({
    ...NO_OBJECTS,
    nodes: NODES.map((name) => node(name, { cpu: 4, memory: '16Gi' })),
    pods: [...ordinary, ...victims],
    podDisruptionBudgets: budgets(4_000),
  });
}
