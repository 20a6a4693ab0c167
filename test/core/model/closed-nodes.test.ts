import { expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import type { ClosedNode } from '../../../core/model/scenario.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';
import { NO_RESULTS } from '../../../core/drain/effects.ts';
import { advanceDrain } from '../../../core/drain/advance.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { aDrain, oneNodeWorld, webPod } from '../drain/one-node-world.ts';
import { clusterOf, decide, goes, workerNode, replica, stays } from '../scaledown/cluster.ts';

const closed = (...names: readonly string[]): readonly ClosedNode[] =>
  names.map((name) => ({
    node: nodeName(name),
    reason: 'UnreadablePod',
    message: 'Pod evil/odd: spec: expected an object, found 7',
  }));

it('what is free on a node with an unreadable pod is not known: a pod that waits gets a node', () => {
  const decided = (closedNodes: readonly ClosedNode[]) =>
    evaluate(
      scenario({
        groups: [group('a', { nodes: ['n1'] })],
        nodes: [node('n1', { cpu: 4, memory: '16Gi' })],
        pods: [pod('victim', { requests: { cpu: 2 } })],
        objects: { closedNodes },
      }),
    ).scaleUp;
  expect(decided([]).pods).toEqual([{ pod: 'default/victim', outcome: 'Fits' }]);
  expect(decided(closed('n1'))).toMatchObject({
    pods: [{ pod: 'default/victim', outcome: 'Triggered', group: 'a' }],
    increases: [{ group: 'a', from: 1, to: 2 }],
  });
});

it('a closed node is not removed, and takes no pods of nodes that are', () => {
  const given = {
    nodes: [workerNode('n1'), workerNode('n2')],
    pods: [replica('p', 'n1')],
    options: { scaleDownUtilizationThreshold: 0.5 },
  };
  expect(goes(decide(given))).toEqual(['n2']);
  const decision = decide({ ...given, objects: { ...clusterOf(given).objects, closedNodes: closed('n2') } });
  expect(goes(decision)).toEqual([]);
  expect(stays(decision)).toMatchObject({ n1: 'NoPlaceToMovePods', n2: 'Unreadable' });
});

it('a drain of a node that is closed by now is taken back, with what cannot be read', () => {
  const world = oneNodeWorld([webPod('web-1')]);
  const seen = world.observe(NO_RESULTS);
  const observed = { ...seen, cluster: { ...seen.cluster, closedNodes: closed('n1') } };
  const { drain } = advanceDrain(aDrain(), observed, NOW, defaultOptions());
  expect(drain.outcome).toMatchObject({
    kind: 'rolledBack',
    failure: 'NoLongerRemovable',
    message: 'Pod evil/odd: spec: expected an object, found 7',
  });
});
