import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Intent } from '../../../core/model/intent.ts';
import type { Pause } from '../../../core/model/pause.ts';
import { groupName, instanceId, nodeName, podKey } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { intentEvents, settledEvents, statusEvents } from '../../../core/words/status-events.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW, scaleUpRequest, scenario, type ScenarioGiven } from '../../scenario-builders.ts';

const eventsOf = (given: ScenarioGiven, pauses: readonly Pause[] = []) => {
  const of = { ...scenario(given), pauses };
  return statusEvents(of, evaluate(of), 7).map(({ type, reason, message, occurrence }) => [
    type,
    reason,
    message,
    occurrence,
  ]);
};

const waiting = pod('web-1', { requests: { cpu: 3 }, owner: 'ReplicaSet/web' });

describe('the events of the status', () => {
  it('say which groups are to grow', () => {
    expect(eventsOf({ groups: [group('a')], pods: [waiting] })).toEqual([
      ['Normal', 'ScaledUpGroup', 'Scale-up: setting group a size to 1 instead of 0 (max: 10)', '7 a'],
    ]);
  });

  it('say that the cluster has all the nodes that it may have', () => {
    const options = { maxNodesTotal: 1 };
    expect(eventsOf({ groups: [group('a')], pods: [waiting], nodes: [node('n1', { cpu: 1 })], options })).toEqual([
      ['Warning', 'MaxNodesTotalReached', 'Max total nodes in cluster reached: 1', '1'],
    ]);
  });

  it('say which groups do not grow because of maxCostPerHour', () => {
    const web = { ...group('a'), price: 0.2 };
    expect(eventsOf({ groups: [web], pods: [waiting], options: { maxCostPerHour: 0.1 } })).toEqual([
      [
        'Warning',
        'MaxCostPerHourReached',
        'Max cost per hour reached: node group a does not grow (maxCostPerHour)',
        'a maxCostPerHour',
      ],
    ]);
  });

  it('say what is paused, once', () => {
    const pause = { part: 'ScaleUp', group: null, until: null, cancelDrains: false, source: 'Command' } as const;
    const text = 'scale-up is paused until it is resumed, by outrigger pause';
    expect(eventsOf({ groups: [group('a')] }, [pause])).toEqual([['Normal', 'Paused', text, text]]);
  });

  it('say that the cluster is unhealthy', () => {
    const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
    const nodes = names.map((name) => node(name, { cpu: 4 }, { conditions: [] }));
    expect(eventsOf({ groups: [group('a', { nodes: names })], nodes })[0]).toEqual([
      'Warning',
      'ClusterUnhealthy',
      'Cluster is unhealthy',
      '',
    ]);
  });

  const requested = (time: number) => ({ scaleUpRequests: [scaleUpRequest('a', 1, epochMs(time))] });

  it('say that nodes have not come in time, once for each time', () => {
    const late = requested(NOW - 1_000_000);
    const groups = [group('a', { target: 1 })];
    expect(eventsOf({ groups, state: late })).toEqual([
      ['Warning', 'ScaleUpTimedOut', 'Nodes added to group a failed to register within 15m', `${NOW} a`],
    ]);
    const of = scenario({ groups, state: late });
    expect(
      statusEvents({ ...of, state: evaluate(of).state }, evaluate({ ...of, state: evaluate(of).state }), 8),
    ).toEqual([]);
  });

  it('say why launches have failed', () => {
    const failure = {
      id: instanceId('i-x'),
      zone: null,
      class: 'Quota',
      code: 'VcpuLimitExceeded',
      message: 'no',
    } as const;
    const groups = [group('a', { target: 1, launchFailures: [failure] })];
    expect(eventsOf({ groups, state: requested(NOW - 10_000) })[0]).toEqual([
      'Warning',
      'ScaleUpFailed',
      expect.stringMatching(/^Failed adding nodes to group a due to Quota; /),
      `${NOW} a`,
    ]);
  });

  it('say which nodes are removed, and what they hold', () => {
    const of = scenario({ groups: [group('a')] });
    const decision = evaluate(of);
    const removal = { group: groupName('a'), destinations: [] };
    const removals = [
      { ...removal, node: nodeName('n1'), kind: 'empty', pods: [] },
      { ...removal, node: nodeName('n2'), kind: 'drain', pods: [podKey('shop', 'web-1'), podKey('shop', 'web-2')] },
    ] as const;
    const removing = { ...decision, scaleDown: { ...decision.scaleDown, removals } };
    expect(statusEvents(of, removing, 7)).toMatchObject([
      {
        about: { kind: 'Status' },
        reason: 'ScaleDownEmpty',
        message: 'Scale-down: removing empty node "n1"',
        occurrence: '7 n1',
      },
      {
        reason: 'ScaleDown',
        message: 'Scale-down: removing node n2, pods to reschedule: web-1, web-2',
        occurrence: '7 n2',
      },
    ]);
  });
});

describe('the events of a change', () => {
  const common = {
    id: '7-a',
    group: groupName('a'),
    createdAt: NOW,
    status: 'pending',
    attempts: 1,
    claimedUntil: null,
    outcome: null,
  } as const;
  const up: Intent = { ...common, kind: 'SetSize', from: 1, to: 3, drained: [] };
  const down: Intent = { ...up, from: 3, to: 1 };
  const deletion: Intent = {
    ...common,
    kind: 'DeleteInstances',
    instances: [instanceId('i-1'), instanceId('i-2')],
    force: false,
  };
  const removal: Intent = { ...common, kind: 'RemoveNodes', nodes: [] };

  it.each<[string, Intent, Parameters<typeof intentEvents>[1], string[]]>([
    ['a larger size', up, 'done', ['Normal', 'ScaledUpGroup', 'Scale-up: group a size set to 3 instead of 1']],
    ['a larger size', up, 'failed', ['Warning', 'FailedToScaleUpGroup', 'Scale-up failed for group a: why']],
    ['a larger size', up, 'refused', []],
    ['a smaller size', down, 'done', []],
    ['a smaller size', down, 'failed', []],
    ['a deletion', deletion, 'done', ['Normal', 'DeleteUnregistered', 'Removed unregistered node i-1, i-2']],
    ['a deletion', deletion, 'failed', ['Warning', 'DeleteUnregisteredFailed', 'Failed to remove node i-1, i-2: why']],
    ['a deletion', deletion, 'refused', []],
    ['a removal', removal, 'failed', []],
  ])('%s %#', (_, intent, status, expected) => {
    const found = intentEvents(intent, status, 'why');
    expect(found.flatMap(({ type, reason, message }) => [type, reason, message])).toEqual(expected);
    expect(found.every(({ occurrence }) => occurrence === '7-a')).toBe(true);
  });

  it('are of the changes that are settled, once they have ended', () => {
    const ended: Intent[] = [
      { ...up, id: '7-a', status: 'done' },
      { ...up, id: '8-a', status: 'failed', outcome: { message: 'why', class: null } },
      { ...up, id: '9-a', status: 'pending' },
      { ...up, id: '10-a', status: 'done' },
    ];
    expect(settledEvents(ended, ['7-a', '8-a', '9-a']).map(({ reason, occurrence }) => [reason, occurrence])).toEqual([
      ['ScaledUpGroup', '7-a'],
      ['FailedToScaleUpGroup', '8-a'],
    ]);
  });
});
