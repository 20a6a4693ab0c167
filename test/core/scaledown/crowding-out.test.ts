import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { crowdingOut } from '../../../core/scaledown/crowding-out.ts';
import { pod } from '../../builders.ts';
import { NOW } from '../../scenario-builders.ts';
import { clusterOf, DAEMON, replica, workerNode } from './cluster.ts';

const EXPENDABLE = { priority: -11 } as const;
const NEVER = { preemptionPolicy: 'Never' } as const;
const cheap = replica('cheap', 'n1', { spec: EXPENDABLE });
const choosy = replica('choosy', 'n2', { spec: NEVER });

/** Pods that crowd other pods out while `n2` waits for its replacement. */
const found = (pods: readonly Pod[], waiting: readonly string[] = ['n2']) => {
  const scenario = clusterOf({ nodes: ['n1', 'n2'].map((name) => workerNode(name)), pods });
  const command = { nodes: waiting.map(nodeName) } as never;
  const state = { ...scenario.state, disruptions: waiting.length === 0 ? [] : [command] };
  return [...crowdingOut({ ...scenario, state })].map(([node, { name }]) => [node, name]);
};

describe('expendable pods that would take the places of pods of nodes that wait for their replacement', () => {
  test('are those that are made anew, where one of the others never preempts', () => {
    expect(found([cheap, choosy])).toEqual([['n1', 'cheap']]);
  });

  test.each<{ readonly where: string; readonly pods: readonly Pod[]; readonly waiting?: readonly string[] }>([
    { where: 'no node waits', pods: [cheap, choosy], waiting: [] },
    { where: 'the pods that wait preempt them', pods: [cheap, replica('p', 'n2')] },
    { where: 'the pod that never preempts is on another node', pods: [cheap, replica('p', 'n1', { spec: NEVER })] },
    { where: 'it is expendable itself', pods: [cheap, replica('p', 'n2', { spec: { ...NEVER, ...EXPENDABLE } })] },
    { where: 'it is on its way out', pods: [cheap, { ...choosy, deletedAt: NOW }] },
    { where: 'it is a DaemonSet pod', pods: [cheap, replica('p', 'n2', { spec: NEVER, ...DAEMON })] },
    { where: 'no controller makes them anew', pods: [pod('bare', { node: 'n1', spec: EXPENDABLE }), choosy] },
    { where: 'nothing is expendable', pods: [replica('q', 'n1'), choosy] },
  ])('are none where $where', ({ pods, waiting }) => {
    expect(found(pods, waiting)).toEqual([]);
  });
});
