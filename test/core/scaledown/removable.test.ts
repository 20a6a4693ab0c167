import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { Controller } from '../../../core/model/cluster/workloads.ts';
import { ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import type { GroupOptions, Options } from '../../../core/model/options.ts';
import type { State } from '../../../core/model/state.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { pod } from '../../builders.ts';
import { group, NOW, running, times } from '../../scenario-builders.ts';
import { failed } from '../registry/given.ts';
import { ago, WEB, type ClusterGiven, decide, goes, workerNode, notReady, replica, stays } from './cluster.ts';

const since = (minutesAgo: number): Partial<State> => ({ unneededSince: { [nodeName('n1')]: ago(minutesAgo) } });
const TEN: Partial<Options> = { scaleDownUnneededTime: minutes(10), scaleDownUnreadyTime: minutes(20) };

describe('how long a node must be unneeded (RemovableAt)', () => {
  type Row = readonly [
    what: string,
    ready: boolean,
    minutesAgo: number | null,
    ofGroup: Partial<GroupOptions>,
    reason: string | undefined,
  ];
  test.each<Row>([
    ['found just now', true, null, {}, 'NotUnneededLongEnough'],
    ['for less than the time', true, 9.9, {}, 'NotUnneededLongEnough'],
    ['for exactly the time', true, 10, {}, 'NotUnneededLongEnough'],
    ['for longer', true, 10.1, {}, undefined],
    ['of a group that waits longer', true, 10.1, { scaleDownUnneededTime: minutes(15) }, 'NotUnneededLongEnough'],
    ['of a group that waits less', true, 5.1, { scaleDownUnneededTime: minutes(5) }, undefined],
    ['of a group that does not wait', true, null, { scaleDownUnneededTime: minutes(0) }, undefined],
    ['not ready, for longer than a ready one', false, 15, {}, 'NotUnreadyLongEnough'],
    ['not ready, for exactly the time', false, 20, {}, 'NotUnreadyLongEnough'],
    ['not ready, for longer', false, 20.1, {}, undefined],
    ['not ready, of a group that waits less', false, 5.1, { scaleDownUnreadyTime: minutes(5) }, undefined],
  ])('%s', (_, ready, minutesAgo, options, reason) => {
    const decision = decide({
      nodes: [(ready ? workerNode : notReady)('n1')],
      group: { options },
      options: TEN,
      state: minutesAgo === null ? {} : since(minutesAgo),
    });
    expect(stays(decision)['n1']).toBe(reason);
    expect(goes(decision)).toEqual(reason === undefined ? ['n1'] : []);
    expect(decision.scaleDown.unneeded).toEqual(['n1']);
    expect(decision.state.unneededSince).toEqual({ n1: minutesAgo === null ? NOW : ago(minutesAgo) });
  });

  test.each<readonly [what: string, createdAgo: number | null, expected: number]>([
    ['the node was there', 60, 30],
    ['the age of the node is unknown', null, 30],
    ['another node had the name then', 20, 0],
  ])('a clock that began 30 minutes ago: %s', (_, createdAgo, expected) => {
    const node = workerNode('n1', { createdAt: createdAgo === null ? null : ago(createdAgo) });
    expect(decide({ nodes: [node], options: TEN, state: since(30) }).state.unneededSince).toEqual({
      n1: ago(expected),
    });
  });

  test('a node that is needed again starts anew', () => {
    const nodes = [workerNode('n1')];
    const pods = [replica('p', 'n1', { requests: { cpu: 3 } })];
    expect(decide({ nodes, pods, options: TEN, state: since(9) }).state.unneededSince).toEqual({});
  });
});

describe('the soft taint says since when a node has been unneeded', () => {
  const tainted = (key: string, value: string) =>
    workerNode('n1', { taints: [{ key, value, effect: 'PreferNoSchedule' }] });
  const seconds = (minutesAgo: number): string => String(ago(minutesAgo) / 1_000);
  const SOFT = 'DeletionCandidateOfClusterAutoscaler';
  type Row = readonly [what: string, key: string, value: string, ttl: number, last: number | null, expected: number];
  test.each<Row>([
    ['on a first start', SOFT, seconds(7), 30, null, 7],
    ['later the state does', SOFT, seconds(7), 30, 1, 0],
    ['unless it is too old', SOFT, seconds(31), 30, null, 0],
    ['at the last moment', SOFT, seconds(30), 30, null, 30],
    ['without nodeDeletionCandidateTtl it says nothing', SOFT, seconds(7), 0, null, 0],
    ['a value that is no time', SOFT, 'soon', 30, null, 0],
    ['a time that is yet to come', SOFT, seconds(-7), 30, null, 0],
    ['another taint', 'example.com/x', seconds(7), 30, null, 0],
  ])('%s', (_, key, value, ttl, last, expected) => {
    const { state } = decide({
      nodes: [tainted(key, value)],
      options: { ...TEN, nodeDeletionCandidateTtl: minutes(ttl) },
      state: { lastEvaluation: last === null ? null : ago(last) },
    });
    expect(state.unneededSince).toEqual({ n1: ago(expected) });
  });
});

describe('the annotation beside the shared soft taint says since when a node has been unneeded', () => {
  const shared = { key: 'node-lifecycle.kubernetes.io/disruption', value: 'candidate', effect: 'PreferNoSchedule' };
  test.each([
    ['on a first start', String(ago(7) / 1_000), null, 7],
    ['later the state does', String(ago(7) / 1_000), 1, 0],
    ['unless it is too old', String(ago(31) / 1_000), null, 0],
    ['a value that is no time', 'soon', null, 0],
  ] as const)('%s', (_, value, last, expected) => {
    const { state } = decide({
      nodes: [workerNode('n1', { taints: [shared], annotations: { 'outrigger.dev/unneeded-since': value } })],
      options: { ...TEN, nodeLifecycleTaints: true, nodeDeletionCandidateTtl: minutes(30) },
      state: { lastEvaluation: last === null ? null : ago(last) },
    });
    expect(state.unneededSince).toEqual({ n1: ago(expected) });
  });
});

describe('a group that has not the size it was asked for', () => {
  const outcome = (given: ClusterGiven['group'], extra: Partial<ClusterGiven> = {}) => {
    const { scaleDown } = decide({ nodes: [workerNode('n1'), workerNode('n2')], group: given!, ...extra });
    return [...new Set(scaleDown.unremovable.map(({ message }) => message ?? ''))];
  };
  const members = [running('i-1', 'n1'), running('i-2', 'n2')];
  test.each<readonly [what: string, given: ClusterGiven['group'], expected: readonly string[]]>([
    ['shrinks when it has it', { target: 2, instances: members }, []],
    [
      'stays while a node is missing',
      { target: 3, instances: members },
      ['node group web has 2 nodes, and was asked for 3'],
    ],
    [
      'stays while a node is too many',
      { target: 1, instances: members },
      ['node group web has 2 nodes, and was asked for 1'],
    ],
    [
      'stays while more nodes are missing than instances are to register',
      { target: 9, instances: [...members, running('i-3', null)] },
      ['node group web has 2 nodes, and was asked for 9'],
    ],
    [
      'shrinks while one has failed that cannot be ended',
      { target: 3, instances: [...members, { ...failed('i-3', 'Other'), stays: 'others are taken first' }] },
      [],
    ],
    [
      'stays while a node is missing beside one that has failed and cannot be ended',
      { target: 4, instances: [...members, { ...failed('i-3', 'Other'), stays: 'others are taken first' }] },
      ['node group web has 2 nodes, and was asked for 4'],
    ],
  ])('%s', (_, given, expected) => {
    expect(outcome(given)).toEqual(expected);
  });

  test('stays while a node is missing beside one that never came and cannot be ended', () => {
    const late = { ...running('i-3', null), stays: 'others are taken first' };
    const given = (target: number): readonly string[] =>
      outcome({ target, instances: [...members, late] }, { state: { unregisteredSince: { [late.id]: ago(16) } } });
    expect(given(3)).toEqual([]);
    expect(given(4)).toEqual(['node group web has 2 nodes, and was asked for 4']);
  });
});

describe('a group that awaits nodes', () => {
  const five = times(5, (i) => workerNode(`n${i + 1}`));
  const members = five.map(({ name }, i) => running(`i-${i + 1}`, name));
  const coming = (count: number) => times(count, (i) => running(`i-new-${i + 1}`, null));
  const asked = (increase: number): Partial<State> => ({
    scaleUpRequests: [{ group: group('web').name, increase, time: ago(1), expectedAddTime: ago(-14) }],
  });

  type Row = readonly [what: string, given: Partial<ClusterGiven>, goes: number, stays: string | undefined];
  test.each<Row>([
    ['keeps one for an instance that has not registered', { group: { target: 6 } }, 4, 'awaits: 1'],
    [
      'keeps one for a node that is asked for and has no instance',
      { group: { target: 6, instances: members }, state: asked(1) },
      4,
      'awaits: 1',
    ],
    ['keeps all where it awaits more', { group: { target: 13 } }, 0, 'awaits: 8'],
    [
      'keeps none for an instance beyond what was asked for',
      { group: { target: 5, instances: [...members, ...coming(1)] } },
      5,
      undefined,
    ],
    [
      'keeps none where one that is not unneeded for long enough stays',
      {
        group: { target: 6 },
        options: TEN,
        state: { unneededSince: Object.fromEntries(five.slice(1).map(({ name }) => [name, ago(30)])) },
      },
      4,
      'NotUnneededLongEnough',
    ],
  ])('%s', (_, given, count, expected) => {
    const target = given.group?.target ?? 5;
    const instances = [...members, ...coming(target - 5)];
    const decision = decide({ nodes: five, ...given, group: { instances, ...given.group } });
    expect(goes(decision)).toHaveLength(count);
    const kept = decision.scaleDown.unremovable.map(({ reason, message = '' }) => `${reason} ${message}`);
    expect(kept).toHaveLength(5 - count);
    expect(kept.every((text) => text.includes(expected!))).toBe(true);
  });

  test('goes on in other groups', () => {
    const others = times(2, (i) => workerNode(`o${i + 1}`));
    const decision = decide({
      nodes: [...five, ...others],
      groups: [
        group('web', { target: 13, nodes: five.map(({ name }) => name), instances: [...members, ...coming(8)] }),
        group('other', { nodes: others.map(({ name }) => name) }),
      ],
    });
    expect(goes(decision)).toEqual(['o1', 'o2']);
  });
});

describe('minimums', () => {
  const four = times(4, (i) => workerNode(`n${i + 1}`));
  const names = four.map(({ name }) => name);
  const leaving = (node: string, kind: 'empty' | 'drain' = 'empty') => ({
    deletionsInProgress: [{ node: nodeName(node), group: group('web').name, kind, since: ago(1) }],
  });
  const gpuNode = (name: string) =>
    workerNode(name, {
      labels: { 'k8s.amazonaws.com/accelerator': 'nvidia-t4' },
      capacity: { ...four[0]!.capacity, 'nvidia.com/gpu': 1 },
      allocatable: { ...four[0]!.allocatable, 'nvidia.com/gpu': 1 },
    });

  type Row = readonly [what: string, given: Partial<ClusterGiven>, goes: number, others: string | undefined];
  test.each<Row>([
    ['none', {}, 4, undefined],
    ['of the group', { group: { min: 2 } }, 2, 'NodeGroupMinSizeReached'],
    [
      'of the group, with one that has failed and cannot be ended',
      {
        group: {
          min: 2,
          target: 5,
          instances: [
            ...names.map((name, i) => running(`i-${i}`, name)),
            { ...failed('i-new', 'Other'), stays: 'others are taken first' },
          ],
        },
      },
      2,
      'NodeGroupMinSizeReached',
    ],
    [
      'of the group, with a removal in progress',
      { group: { min: 2 }, state: leaving('n4') },
      1,
      'NodeGroupMinSizeReached',
    ],
    [
      'of the group, with an instance that the target no longer counts',
      {
        group: {
          min: 2,
          target: 3,
          instances: names.map((name, i) => ({
            ...running(`i-${i}`, name),
            state: name === 'n4' ? ('Deleting' as const) : ('Running' as const),
          })),
        },
        state: {
          ...leaving('n4'),
          scaleDownRequests: [
            { group: group('web').name, node: nodeName('n4'), time: ago(1), expectedDeleteTime: ago(-4) },
          ],
        },
      },
      1,
      'NodeGroupMinSizeReached',
    ],
    ['of cores', { options: { coresTotal: { min: 7, max: 100 } } }, 2, 'MinimalResourceLimitExceeded'],
    ['of cores, to the last one', { options: { coresTotal: { min: 8, max: 100 } } }, 2, 'MinimalResourceLimitExceeded'],
    [
      'of cores, with a removal in progress',
      { options: { coresTotal: { min: 8, max: 100 } }, state: leaving('n4') },
      1,
      'MinimalResourceLimitExceeded',
    ],
    ['of memory', { options: { memoryTotal: { min: 40, max: 100 } } }, 1, 'MinimalResourceLimitExceeded'],
    [
      'of GPUs',
      { nodes: names.map(gpuNode), options: { gpuTotal: [{ type: 'nvidia-t4', min: 3, max: 9 }] } },
      1,
      'MinimalResourceLimitExceeded',
    ],
    [
      'of other GPUs',
      { nodes: names.map(gpuNode), options: { gpuTotal: [{ type: 'nvidia-a100', min: 3, max: 9 }] } },
      4,
      undefined,
    ],
  ])('%s', (_, given, count, others) => {
    const decision = decide({ nodes: four, ...given });
    expect(goes(decision)).toHaveLength(count);
    const kept = Object.entries(stays(decision)).filter(([, reason]) => reason !== 'CurrentlyBeingDeleted');
    expect(new Set(kept.map(([, reason]) => reason))).toEqual(new Set(others === undefined ? [] : [others]));
  });

  test('empty nodes take what a minimum leaves before others do', () => {
    const decision = decide({
      nodes: [workerNode('n1'), workerNode('n2'), workerNode('n3')],
      pods: [replica('p', 'n1', { requests: { cpu: '100m' } }), replica('q', 'n3', { requests: { cpu: 3 } })],
      group: { min: 2 },
    });
    expect(goes(decision)).toEqual(['n2']);
    expect(stays(decision)['n1']).toBe('NodeGroupMinSizeReached');
  });
});

describe('groups that are not as they should be are left alone', () => {
  const nodes = [workerNode('n1'), workerNode('n2')];
  const ENDING = [running('i-1', 'n1'), { ...running('i-2', 'n2'), state: 'Deleting' as const }];
  test.each<readonly [what: string, given: Partial<ClusterGiven>, expected: string | undefined]>([
    ['as many as asked for', {}, undefined],
    ['more than asked for', { group: { target: 1 } }, 'NotUnneededOtherReason'],
    ['fewer, and no instances to come', { group: { target: 3 } }, 'NotUnneededOtherReason'],
    ['more, because an instance has been terminating for long', { group: { target: 1, instances: ENDING } }, undefined],
    [
      'as many, of which one is terminating and is to be replaced',
      { group: { target: 2, instances: ENDING } },
      'NotUnneededOtherReason',
    ],
    [
      'more, because a node is on its way out',
      {
        group: { target: 1 },
        state: {
          scaleDownRequests: [
            { group: group('web').name, node: nodeName('n2'), time: ago(1), expectedDeleteTime: ago(-4) },
          ],
          deletionsInProgress: [{ node: nodeName('n2'), group: group('web').name, kind: 'empty', since: ago(1) }],
        },
        nodes: [workerNode('n1'), workerNode('n2')],
      },
      'NodeGroupMinSizeReached',
    ],
  ])('%s', (_, given, expected) => {
    const decision = decide({ nodes, ...given, group: { min: 0, ...given.group } });
    expect(stays(decision)['n1']).toBe(expected);
    expect(decision.scaleDown.unneeded).toContain('n1');
  });
});

describe('a group that goes as a whole', () => {
  const three = times(3, (i) => workerNode(`n${i + 1}`));
  const whole = (more: Parameters<typeof group>[1] = {}): readonly NodeGroup[] => [
    group('all', { nodes: three.map(({ name }) => name), max: 3, options: { zeroOrMaxNodeScaling: true }, ...more }),
  ];
  test.each<readonly [what: string, given: Partial<ClusterGiven>, removed: number, reasons: readonly string[]]>([
    ['every node is empty', {}, 3, []],
    [
      'one is used',
      { pods: [replica('p', 'n1', { requests: { cpu: 3 } })] },
      0,
      ['AtomicScaleDownFailed', 'NotUnderutilized'],
    ],
    [
      'one has not been unneeded for long enough',
      { options: TEN, state: { unneededSince: { [nodeName('n1')]: ago(11), [nodeName('n2')]: ago(11) } } },
      0,
      ['AtomicScaleDownFailed', 'NotUnneededLongEnough'],
    ],
    ['it has a minimum', { groups: whole({ min: 1 }) }, 0, ['AtomicScaleDownFailed', 'NodeGroupMinSizeReached']],
    [
      'one waits for a pod to end',
      {
        pods: [
          pod('job', {
            node: 'n1',
            annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'on-completion' },
          }),
        ],
      },
      0,
      ['AtomicScaleDownFailed', 'BlockedByOnCompletionPod'],
    ],
    ['more nodes than the budgets allow', { options: { maxScaleDownParallelism: 2 } }, 3, []],
  ])('%s', (_, given, removed, reasons) => {
    const decision = decide({ nodes: three, groups: whole(), ...given });
    expect(goes(decision)).toHaveLength(removed);
    expect(new Set(Object.values(stays(decision)))).toEqual(new Set(reasons));
  });
});

describe('a group that cannot go as a whole', () => {
  const whole = (name: string, nodes: readonly string[], more: Parameters<typeof group>[1] = {}): NodeGroup =>
    group(name, { nodes, max: nodes.length, options: { zeroOrMaxNodeScaling: true }, ...more });
  const used = (on: string): Pod => replica(`on-${on}`, on, { requests: { cpu: 4 } });
  const decided = (groups: readonly NodeGroup[], cores: number, pods: readonly Pod[]) =>
    decide({
      nodes: groups.flatMap(({ nodes }) => nodes.map((name) => workerNode(name))),
      groups,
      pods,
      options: { coresTotal: { min: cores, max: 100 }, scaleDownUnneededTime: minutes(0) },
    });

  test('takes nothing of a minimum of the cluster from other groups', () => {
    const groups = [whole('all', ['a1', 'a2']), group('web', { nodes: ['w1'] })];
    const decision = decided(groups, 8, [used('a2')]);
    expect(goes(decision)).toEqual(['w1']);
    expect(stays(decision)).toEqual({ a1: 'AtomicScaleDownFailed', a2: 'NotUnderutilized' });
  });

  test('nor from another one that goes as a whole', () => {
    const groups = [whole('all', ['a1', 'a2', 'a3']), whole('others', ['b1', 'b2'])];
    expect(goes(decided(groups, 12, [used('a3')]))).toEqual(['b1', 'b2']);
  });

  test('says of each of its nodes why it stays, where the minimum itself is the reason', () => {
    const groups = [whole('all', ['a1', 'a2']), group('web', { nodes: ['w1'] })];
    const decision = decided(groups, 8, []);
    expect(goes(decision)).toEqual(['w1']);
    expect(stays(decision)).toEqual({ a1: 'AtomicScaleDownFailed', a2: 'MinimalResourceLimitExceeded' });
  });
});

test('a node that waits for a pod to end stays, and its clock goes on', () => {
  const job = pod('job', {
    node: 'n1',
    annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'on-completion' },
  });
  const decision = decide({ nodes: [workerNode('n1')], pods: [job] });
  expect(decision.scaleDown.unneeded).toEqual(['n1']);
  expect(decision.scaleDown.unremovable).toEqual([
    { node: 'n1', reason: 'BlockedByOnCompletionPod', pod: 'default/job' },
  ]);
});

describe('a node with a pod of a Job that has run for longer than jobProtectionAge', () => {
  const jobOn = (on: string): Pod => ({ ...replica('work', on, { owner: 'Job/work' }), startedAt: ago(6) });
  const controllers: readonly Controller[] = [
    WEB,
    { ...WEB, kind: 'Job', name: 'work', uid: 'uid-Job/work', replicas: 1 },
  ];

  test('is unneeded, so that new pods avoid it, but stays until the pod has ended', () => {
    const given = { nodes: [workerNode('n1')], objects: { controllers } };
    const running = decide({ ...given, pods: [jobOn('n1')] });
    expect(running.scaleDown.unneeded).toEqual(['n1']);
    expect(running.scaleDown.unremovable).toEqual([
      {
        node: 'n1',
        reason: 'BlockedByOnCompletionPod',
        pod: 'default/work',
        podReason: 'JobRunning',
        message:
          'its Job work would start again from the beginning: it has run for 6m, longer than jobProtectionAge (5m)',
      },
    ]);
    expect(goes(decide({ ...given, pods: [{ ...jobOn('n1'), phase: 'Succeeded' }] }))).toEqual(['n1']);
    expect(goes(decide({ ...given, pods: [] }))).toEqual(['n1']);
  });

  test('takes no place from a node that could go now', () => {
    // There is room for the pods of one of the two, and n1 was unneeded first.
    const decision = decide({
      nodes: [workerNode('n1'), workerNode('n2'), workerNode('n3')],
      pods: [
        jobOn('n1'),
        replica('a', 'n1', { requests: { cpu: '1' } }),
        replica('b', 'n2', { requests: { cpu: '1' } }),
        replica('c', 'n3', { requests: { cpu: '2900m' } }),
      ],
      objects: { controllers },
      state: { unneededSince: { [nodeName('n1')]: ago(5), [nodeName('n2')]: ago(1) } },
    });
    expect(goes(decision)).toEqual(['n2']);
  });
});

test('what is removed is remembered as being removed', () => {
  const { state, scaleDown } = decide({
    nodes: [workerNode('n1'), workerNode('n2')],
    pods: [replica('p', 'n2', { requests: { cpu: 3 } }), replica('q', 'n1')],
    state: { deletionsInProgress: [{ node: nodeName('m'), group: group('web').name, kind: 'empty', since: ago(1) }] },
  });
  expect(scaleDown.result).toBe('Planned');
  expect(state.deletionsInProgress).toEqual([
    { node: 'm', group: 'web', kind: 'empty', since: ago(1) },
    { node: 'n1', group: 'web', kind: 'drain', since: NOW },
  ]);
  expect(state.scaleDownRequests).toEqual([{ group: 'web', node: 'n1', time: NOW, expectedDeleteTime: ago(-5) }]);
  expect(state.lastScaleDownDelete).toBeNull();
});

describe('zones of a group', () => {
  const zoneOf = (name: string): string => `us-east-1${name[0]!}`;
  const inZones = (names: readonly string[], given: Partial<ClusterGiven> = {}): ClusterGiven => ({
    nodes: names.map((name) => workerNode(name, { labels: { [ZONE_LABEL]: zoneOf(name) } })),
    group: {
      nodes: names,
      instances: names.map((name) => ({ ...running(`i-${name}`, name), zone: zoneOf(name) })),
      ...given.group,
    },
    ...given,
  });
  const budget = (nodes: number): Partial<Options> => ({ maxScaleDownParallelism: nodes });

  test.each<readonly [what: string, names: readonly string[], nodes: number, expected: readonly string[]]>([
    ['the fuller zone loses one', ['a1', 'b1', 'b2'], 1, ['b1']],
    ['then the zones lose one in turn', ['a1', 'a2', 'b1', 'b2', 'b3', 'b4'], 3, ['a1', 'b1', 'b2']],
    ['even zones lose in the order of their nodes', ['a1', 'a2', 'b1', 'b2'], 2, ['a1', 'b1']],
    ['one zone loses in the order of its nodes', ['a1', 'a2', 'a3'], 2, ['a1', 'a2']],
  ])('%s', (_, names, nodes, expected) => {
    expect(goes(decide(inZones(names, { options: budget(nodes) })))).toEqual(expected);
  });

  test('stay even where the minimum leaves room for one only', () => {
    const names = ['a1', 'b1', 'b2', 'b3'];
    const instances = names.map((name) => ({ ...running(`i-${name}`, name), zone: zoneOf(name) }));
    expect(goes(decide(inZones(names, { group: { nodes: names, instances, min: 2 } })))).toEqual(['b1', 'b2']);
  });

  test('do not bring a node forward that has not been unneeded for long enough', () => {
    const state = { unneededSince: { [nodeName('a1')]: ago(30), [nodeName('b1')]: ago(1), [nodeName('b2')]: ago(1) } };
    expect(goes(decide(inZones(['a1', 'b1', 'b2'], { options: TEN, state })))).toEqual(['a1']);
  });

  test('do not put a node that must be drained before an empty one', () => {
    const pods = [replica('p', 'b1'), replica('q', 'b2')];
    expect(goes(decide(inZones(['a1', 'b1', 'b2', 'b3'], { pods, options: budget(1) })))).toEqual(['b3']);
    expect(goes(decide(inZones(['a1', 'b1', 'b2'], { pods, options: budget(1) })))).toEqual(['a1']);
  });
});
