import { expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { ExcludedNode } from '../../../core/model/scenario.ts';
import { node, pod } from '../../builders.ts';
import { group, scenario } from '../../scenario-builders.ts';
import { clusterOf, decide, goes, workerNode, replica, stays } from '../scaledown/cluster.ts';
import { excluded } from '../excluded.ts';

it('what is free on a node with an unreadable pod is not known: a pod that waits gets a node', () => {
  const decided = (excludedNodes: readonly ExcludedNode[]) =>
    evaluate(
      scenario({
        groups: [group('a', { nodes: ['n1'] })],
        nodes: [node('n1', { cpu: 4, memory: '16Gi' })],
        pods: [pod('victim', { requests: { cpu: 2 } })],
        objects: { excludedNodes },
      }),
    ).scaleUp;
  expect(decided([]).pods).toEqual([{ pod: 'default/victim', outcome: 'Fits' }]);
  expect(decided(excluded('n1'))).toMatchObject({
    pods: [{ pod: 'default/victim', outcome: 'Triggered', group: 'a' }],
    increases: [{ group: 'a', from: 1, to: 2 }],
  });
});

it('a excluded node is not removed, and takes no pods of nodes that are', () => {
  const given = {
    nodes: [workerNode('n1'), workerNode('n2')],
    pods: [replica('p', 'n1')],
    options: { scaleDownUtilizationThreshold: 0.5 },
  };
  expect(goes(decide(given))).toEqual(['n2']);
  const decision = decide({ ...given, objects: { ...clusterOf(given).objects, excludedNodes: excluded('n2') } });
  expect(goes(decision)).toEqual([]);
  expect(stays(decision)).toMatchObject({ n1: 'NoPlaceToMovePods', n2: 'Unreadable' });
});
