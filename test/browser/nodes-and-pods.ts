import type { Scenario } from '../../core/model/scenario.ts';
import { node, pod } from '../builders.ts';
import { group, scenario, times } from '../scenario-builders.ts';

const BIG = { cpu: 4, memory: '16Gi' };

/** Nodes with five pods each, and pods for which a group grows by eight nodes; without nodes, nothing at all. */
export const nodesAndPods = (count: number): Scenario =>
  scenario({
    groups: [group('web', { nodes: times(count, (i) => `n${i}`), max: count + 20 })],
    nodes: times(count, (i) => node(`n${i}`, BIG)),
    pods: [
      ...times(count * 5, (i) =>
        pod(`runs-${i}`, { node: `n${Math.floor(i / 5)}`, requests: { cpu: 0.7 }, owner: 'ReplicaSet/runs' }),
      ),
      ...times(count === 0 ? 0 : 8, (i) => pod(`waits-${i}`, { requests: { cpu: 3 }, owner: 'ReplicaSet/waits' })),
    ],
  });
