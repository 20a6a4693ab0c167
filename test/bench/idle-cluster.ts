/** A cluster in which no pod waits and no node is unneeded: nodes of one group, 30 pods on each. */
import { HOSTNAME_LABEL, type Node } from '../../core/model/cluster/node.ts';
import type { Pod } from '../../core/model/cluster/pod.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import { nodeName } from '../../core/model/values/names.ts';
import { pod, podSpec } from '../builders.ts';
import { group, times } from '../scenario-builders.ts';
import { replicated } from './large-cluster.ts';

export const idleGroup = (size: number): NodeGroup =>
  group('web', { max: 2 * size, node: { cpu: 8, memory: '32Gi' }, nodes: times(size, (n) => `web-n-${n}`) });

export const idleNodes = (size: number): readonly Node[] => {
  const of = idleGroup(size);
  return of.nodes.map((name) => ({
    ...of.template!.node,
    name,
    labels: { ...of.template!.node.labels, [HOSTNAME_LABEL]: name },
  }));
};

export const idlePods = (size: number): readonly Pod[] =>
  replicated(
    idleNodes(size).flatMap((on, n) =>
      times(30, (i): Pod => ({
        ...pod(`r-${n}-${i}`),
        spec: podSpec({ cpu: '200m', memory: `${500 + (i % 20)}Mi` }),
        nodeName: nodeName(on.name),
        phase: 'Running',
        unscheduled: null,
      })),
    ),
  );
