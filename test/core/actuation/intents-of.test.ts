import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision, Increase, Repair } from '../../../core/model/decision.ts';
import type { DrainPhase } from '../../../core/model/drain.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { launchFailureId } from '../../../core/model/node-group.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { NO_OBJECTS } from '../../../core/model/scenario.ts';
import { intentsOf } from '../../../core/actuation/intents-of.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { node } from '../../builders.ts';
import { group, NOW, running, scenario } from '../../scenario-builders.ts';

const A = groupName('a');
const decrease = (from: number, to: number): Repair => ({ kind: 'DecreaseTarget', group: A, from, to });
const toMin = (from: number, to: number): Repair => ({ kind: 'IncreaseToMin', group: A, from, to });
const unregistered = (id: string): Repair => ({ kind: 'DeleteUnregistered', group: A, instance: instanceId(id) });
const errored = (id: string): Repair => ({ kind: 'DeleteErrored', group: A, instance: instanceId(id) });
const LAUNCH_FAILURES = [0, 1].map((n) => ({
  id: launchFailureId(A, n),
  zone: null,
  class: 'Quota' as const,
  code: 'x',
  message: '',
}));
const CLUSTER = { now: NOW, nodeGroups: [group('a', { launchFailures: LAUNCH_FAILURES })], objects: NO_OBJECTS };
const grow = (from: number, to: number): Increase => ({ group: A, from, to });

/** A decision on group `a`, whose target is 5. */
function decision(repairs: readonly Repair[], increases: readonly Increase[]): Decision {
  const empty = evaluate(scenario({ groups: [group('a', { target: 5 }), group('b')] }));
  return { ...empty, registry: { ...empty.registry, repairs }, scaleUp: { ...empty.scaleUp, increases } };
}

const set = (id: string, from: number, to: number) => ({ id, kind: 'SetSize', from, to, drained: [] });
const end = (id: string, ...instances: readonly string[]) => ({ id, kind: 'DeleteInstances', instances, force: false });

describe('a decision asks for', () => {
  it('what nobody has tried yet', () => {
    expect(intentsOf(decision([], [grow(5, 7)]), { ...CLUSTER, options: defaultOptions() }, 7)).toMatchObject([
      { createdAt: NOW, status: 'pending', attempts: 0, claimedUntil: null, outcome: null },
    ]);
  });

  it.each([
    ['nothing', [], [], []],
    ['a larger size', [], [grow(5, 7)], [set('7-a', 5, 7)]],
    ['a smaller size', [decrease(5, 3)], [], [set('7-a', 5, 3)]],
    [
      'a smaller size for failed launches',
      [errored(LAUNCH_FAILURES[0]!.id), errored(LAUNCH_FAILURES[1]!.id)],
      [],
      [set('7-a', 5, 3)],
    ],
    ['the end of instances that are there', [unregistered('i-1'), unregistered('i-2')], [], [end('7-a', 'i-1', 'i-2')]],
    [
      'one smaller size for failed launches and instances that never came, and the end of those with errors',
      [errored('i-1'), errored(LAUNCH_FAILURES[1]!.id), decrease(5, 3)],
      [],
      [set('7-a', 5, 2), end('7.1-a', 'i-1')],
    ],
    [
      'a smaller size, then the end of instances, then growth',
      [unregistered('i-1'), decrease(5, 3)],
      [grow(2, 4)],
      [set('7-a', 5, 3), end('7.1-a', 'i-1'), set('7.2-a', 2, 4)],
    ],
    ['the minimum', [toMin(5, 6)], [], [set('7-a', 5, 6)]],
    ['the minimum after growth', [toMin(6, 8)], [grow(5, 6)], [set('7-a', 5, 6), set('7.1-a', 6, 8)]],
    [
      'what each group needs, by itself',
      [decrease(5, 3)],
      [{ group: groupName('b'), from: 0, to: 2 }],
      [set('7-a', 5, 3), { ...set('7-b', 0, 2), group: 'b' }],
    ],
  ])('%s', (_, repairs, increases, expected) => {
    const intents = intentsOf(decision(repairs, increases), { ...CLUSTER, options: defaultOptions() }, 7);
    expect(intents).toMatchObject(
      expected.map((intent) => ({ group: 'a', status: 'pending', createdAt: NOW, ...intent })),
    );
    expect(intents).toHaveLength(expected.length);
  });

  it('instances to be ended at the minimum too, if their option says so', () => {
    const options = { ...defaultOptions(), forceDeleteFailedNodes: true };
    expect(intentsOf(decision([unregistered('i-1'), errored('i-2')], []), { ...CLUSTER, options }, 7)).toMatchObject([
      { instances: ['i-1'], force: false },
      { instances: ['i-2'], force: true },
    ]);
  });
});

it('names the instances that drains had taken from a group when its size was decided', () => {
  const drain = (instance: string, phase: DrainPhase, of = 'a') => ({
    drain: drainOf(`node-of-${instance}`, { group: groupName(of), instance: instanceId(instance), phase }),
    revision: 1,
    attempt: 1,
    drivenUntil: NOW,
  });
  const drains = [
    drain('i-5', 'Removed'),
    drain('i-4', 'Terminating'),
    drain('i-3', 'AwaitingTermination'),
    drain('i-2', 'RolledBack'),
    drain('i-1', 'Evicting'),
    drain('i-9', 'Removed', 'b'),
  ];
  const ending = { ...running('i-3', null), state: 'Deleting' as const };
  const observed = {
    ...CLUSTER,
    options: defaultOptions(),
    nodeGroups: [group('a', { instances: [running('i-1', null), ending] })],
  };
  expect(intentsOf(decision([], [grow(5, 7)]), observed, 7, drains)).toMatchObject([
    { kind: 'SetSize', drained: ['i-3', 'i-4', 'i-5'] },
  ]);
});

describe('nodes that are removed', () => {
  const removal = (of: string, node: string) => ({
    node: nodeName(node),
    group: groupName(of),
    kind: 'drain' as const,
    pods: [],
    destinations: [],
  });
  const together = (zeroOrMaxNodeScaling: boolean, ...names: readonly string[]) => {
    const given = scenario({
      groups: [
        group('a', { nodes: ['n1', 'n2', 'n3'], options: { zeroOrMaxNodeScaling } }),
        group('b', { nodes: ['m1', 'm2'] }),
      ],
      nodes: ['n1', 'n2', 'n3', 'm1', 'm2'].map((name) => node(name)),
    });
    const empty = evaluate(given);
    const removals = [...names.map((name) => removal('a', name)), removal('b', 'm1'), removal('b', 'm2')];
    const intents = intentsOf({ ...empty, scaleDown: { ...empty.scaleDown, removals } }, given, 7);
    return intents.flatMap((intent) => (intent.kind === 'RemoveNodes' ? intent.nodes : []).map((one) => one.together));
  };

  it('are named with the uid of their Node and with the instance behind it; one without an instance stays', () => {
    const given = scenario({
      groups: [
        group('a', { nodes: ['n1', 'n2'], instances: [running('i-7', 'n2'), running('i-3', 'n1')] }),
        group('b', { nodes: ['m1', 'm2'], instances: [running('i-5', 'm2'), running('i-4', null)] }),
      ],
      nodes: ['m1', 'm2', 'n1', 'n2'].map((name) => ({ ...node(name), uid: `uid-${name}` })),
    });
    const empty = evaluate(given);
    const removals = [removal('a', 'n1'), removal('b', 'm1'), { ...removal('b', 'm2'), kind: 'empty' as const }];
    expect(intentsOf({ ...empty, scaleDown: { ...empty.scaleDown, removals } }, given, 7)).toMatchObject([
      { id: '7-a', group: 'a', nodes: [{ node: 'n1', uid: 'uid-n1', instance: 'i-3', kind: 'drain' }] },
      { id: '7-b', group: 'b', nodes: [{ node: 'm2', uid: 'uid-m2', instance: 'i-5', kind: 'empty' }] },
    ]);
  });

  it('go together in an all-or-nothing group, and each by itself in any other', () => {
    expect(together(true, 'n1', 'n2', 'n3')).toEqual([3, 3, 3, undefined, undefined]);
    expect(together(false, 'n1', 'n2', 'n3')).toEqual(Array.from({ length: 5 }));
    expect(together(true, 'n1')).toEqual([undefined, undefined, undefined]);
  });
});
