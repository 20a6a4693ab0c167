/** 150 node groups, 5 000 nodes, if nothing else is said, with 30 pods each, 2 000 pods of 40 kinds pending. */
import { HOSTNAME_LABEL, type Node } from '../../core/model/cluster/node.ts';
import type { Pod } from '../../core/model/cluster/pod.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import { nodeName } from '../../core/model/values/names.ts';
import { controllerRef, pod, podSpec } from '../builders.ts';
import { group, times } from '../scenario-builders.ts';

const NODES = 5_000;

export const largeClusterGroups = (nodes = NODES): readonly NodeGroup[] =>
  times(150, (i) =>
    group(`g-${String(i).padStart(3, '0')}`, {
      zone: `us-east-1${'abc'[i % 3]!}`,
      max: nodes / 50,
      node: { cpu: [4, 8, 16][i % 3]!, memory: '32Gi' },
      labels: { pool: `pool-${Math.floor(i / 3)}` },
      nodes: times(Math.floor(nodes / 150) + (i < nodes % 150 ? 1 : 0), (n) => `g-${i}-n-${n}`),
    }),
  );

export const largeClusterNodes = (nodes = NODES): readonly Node[] =>
  largeClusterGroups(nodes).flatMap((of) =>
    of.nodes.map((name) => ({
      ...of.template!.node,
      name,
      labels: { ...of.template!.node.labels, [HOSTNAME_LABEL]: name },
    })),
  );

/** Pods on nodes, and pending pods, which are of no controller. */
export function largeClusterPods(nodes = NODES): {
  readonly running: readonly Pod[];
  readonly pending: readonly Pod[];
} {
  const kinds = times(100, (i) => podSpec({ cpu: `${100 + (i % 20)}m`, memory: `${500 + i}Mi` }));
  const running = largeClusterNodes(nodes).flatMap((on, n) =>
    times(30, (i): Pod => ({
      ...pod(`r-${n}-${i}`),
      spec: kinds[(n + i) % 100]!,
      nodeName: nodeName(on.name),
      phase: 'Running',
      unscheduled: null,
    })),
  );
  const shapes = times(40, (i) =>
    podSpec(
      { cpu: `${1 + (i % 4)}`, memory: `${1 + (i % 7)}Gi` },
      { nodeSelector: i % 2 === 0 ? {} : { pool: `pool-${i}` } },
    ),
  );
  const pending = times(2_000, (i): Pod => ({ ...pod(`p-${i}`), spec: shapes[i % 40]! }));
  return { running, pending };
}

/** The same, each running pod of one of as many ReplicaSets as a cluster has nodes. */
export const replicated = (running: readonly Pod[], replicaSets = NODES): readonly Pod[] =>
  running.map((one, i) => ({ ...one, controller: controllerRef(`ReplicaSet/app-${i % replicaSets}`) }));
