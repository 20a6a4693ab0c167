import { describe, expect, test } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { AWAITING_PODS_TAINT, type Node } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { RequeuedPod } from '../../../core/model/decision.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW, scenario, type ScenarioGiven } from '../../scenario-builders.ts';

const AWAITING = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };

const ago = (seconds: number) => epochMs(NOW - seconds * 1_000);

/** A node that has been ready for so long, in seconds. */
const ready = (name: string, seconds: number, extra: Partial<Node> = {}): Node =>
  node(
    name,
    { cpu: 4, memory: '16Gi' },
    {
      createdAt: ago(seconds + 60),
      conditions: [{ type: 'Ready', status: 'True', reason: '', since: ago(seconds) }],
      ...extra,
    },
  );

/** The same, too small for any pod, while it awaits its pods. */
const awaiting = (name: string, seconds: number): Node => {
  const { conditions, createdAt } = ready(name, seconds);
  return node(name, { cpu: 0.5, memory: '1Gi' }, { conditions, createdAt, taints: [AWAITING] });
};

/** A pod that kube-scheduler has refused since, in seconds. */
const refused = (name: string, seconds: number, extra: Partial<Pod> = {}, priority = 0): Pod => {
  const made = pod(name, { owner: 'ReplicaSet/web', requests: { cpu: 1 } });
  return {
    ...made,
    unscheduled: { reason: 'Unschedulable', since: ago(seconds) },
    spec: { ...made.spec, priority },
    ...extra,
  };
};

function requeuedIn(nodes: readonly Node[], pods: readonly Pod[], given: ScenarioGiven = {}): RequeuedPod | undefined {
  const web = group('web', { nodes: nodes.map(({ name }) => name), taints: [AWAITING] });
  return evaluateScaleUp(scenario({ groups: [web], nodes, pods, options: { plannedPlacement: true }, ...given }))
    .scaleUp.requeued;
}

describe('kube-scheduler is made to retry a pod', () => {
  test('of a pod that it has refused for twenty seconds, and that has room on a node that has been open as long', () => {
    expect(requeuedIn([ready('a', 20)], [refused('p', 20)])).toEqual({ pod: 'default/p', node: 'a' });
  });

  test('of the one with the highest priority, which stands for all of them', () => {
    const pods = [refused('p', 60), refused('r', 60, {}, 7), refused('q', 60, {}, 7)];
    expect(requeuedIn([ready('a', 60)], pods)).toEqual({ pod: 'default/q', node: 'a' });
  });
});

describe('kube-scheduler is not made to retry a pod', () => {
  test.each<{ name: string; nodes?: readonly Node[]; pods?: readonly Pod[]; given?: ScenarioGiven }>([
    { name: 'where the option is off', given: { options: { plannedPlacement: false } } },
    { name: 'of a pod that it has refused only now', pods: [refused('p', 19)] },
    { name: 'of a pod that it has not tried', pods: [refused('p', 60, { unscheduled: null })] },
    {
      name: 'of a pod that waits for its gates',
      pods: [refused('p', 60, { unscheduled: { reason: 'SchedulingGated', since: ago(60) } })],
    },
    { name: 'of a pod that it is about to place', pods: [refused('p', 60, { nominatedNodeName: nodeName('a') })] },
    { name: 'of a pod that is on its way out', pods: [refused('p', 60, { deletedAt: ago(1) })] },
    { name: 'where the node has been ready for a moment', nodes: [ready('a', 19)] },
    { name: 'where the node takes no pods', nodes: [ready('a', 60, { unschedulable: true })] },
    { name: 'where a node is about to open', nodes: [ready('a', 60), awaiting('b', 1)] },
    { name: 'where the node has awaited its pods for long', nodes: [ready('a', 60, { taints: [AWAITING] })] },
    {
      name: 'where a node is bought',
      pods: [refused('p', 60), refused('q', 60), refused('r', 60), refused('s', 60), refused('t', 60)],
    },
    { name: 'where there is no room', pods: [refused('p', 60), pod('big', { node: 'a', requests: { cpu: 4 } })] },
  ])('$name', ({ nodes = [ready('a', 60)], pods = [refused('p', 60)], given = {} }) => {
    expect(requeuedIn(nodes, pods, given)).toBeUndefined();
  });

  test('in a group that does not place as planned', () => {
    const web = group('web', { nodes: ['a'], options: { plannedPlacement: false } });
    expect(requeuedIn([ready('a', 60)], [refused('p', 60)], { groups: [web] })).toBeUndefined();
  });

  test('where nodes are on their way, which have pods tried again', () => {
    const web = group('web', { nodes: ['a'], target: 2, taints: [AWAITING] });
    const asked = { group: groupName('web'), increase: 1, time: ago(30), expectedAddTime: addTime(NOW, minutes(14)) };
    const given = { groups: [web], state: { scaleUpRequests: [asked] } };
    expect(requeuedIn([ready('a', 60)], [refused('p', 60)], given)).toBeUndefined();
  });
});
