import { describe, expect, test } from 'vitest';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { State } from '../../../core/model/state.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { buildRegistry } from '../../../core/registry/registry.ts';
import { node } from '../../builders.ts';
import { backoffSince, group, type GroupGiven, NOW, running, scenario, times } from '../../scenario-builders.ts';
import { failed, NAME, populated, registryOf } from './given.ts';

const down = { conditions: [{ type: 'Ready', status: 'False', reason: '', since: null }] };
const status = (given: NodeGroup, nodes = given.nodes.map((name) => node(name)), state: Partial<State> = {}) =>
  buildRegistry(scenario({ groups: [given], nodes, state })).groups.get(given.name)!;
const request = (increase: number) => ({
  scaleUpRequests: [{ group: groupName('g'), increase, time: epochMs(NOW - 1), expectedAddTime: epochMs(NOW + 1) }],
});

describe('a node that starts, and is on its way out already', () => {
  const starting = node('a', {}, { ...down, createdAt: epochMs(NOW - 1_000) });
  const leaving = {
    deletionsInProgress: [{ node: nodeName('a'), group: groupName('g'), kind: 'drain' as const, since: NOW }],
  };
  const given = (state: 'Running' | 'Deleting', target: number) =>
    group('g', { target, nodes: ['a'], instances: [{ ...running('i-a', 'a'), state }] });

  test('is no place for pods, though the target counts it', () => {
    expect(status(given('Running', 1), [starting]).upcoming).toBe(1);
    expect(status(given('Running', 1), [starting], leaving).upcoming).toBe(0);
    expect(status(given('Running', 2), [starting], { ...leaving, ...request(1) }).upcoming).toBe(1);
  });

  test('counts as one that is up while it is suspended', () => {
    const suspended = [{ type: 'Suspended', status: 'True', reason: '', since: null }];
    const upcoming = (more: Partial<typeof starting>): number =>
      status(given('Deleting', 1), [node('a', {}, more)], request(1)).upcoming;
    expect(upcoming({ conditions: suspended })).toBe(upcoming({}));
  });

  test('is none either once its instance ends, when the target counts it no more', () => {
    expect(status(given('Deleting', 0), [starting], leaving).upcoming).toBe(0);
    expect(status(given('Deleting', 1), [starting], { ...leaving, ...request(1) }).upcoming).toBe(1);
    expect(status(given('Deleting', 0), [starting]).upcoming).toBe(0);
  });
});

describe('the registry of one group', () => {
  test('counts registered nodes by their readiness', () => {
    const nodes = [
      node('a'),
      node('b', {}, { ...down, createdAt: epochMs(NOW - 1_000) }),
      node('c', {}, down),
      node('d', {}, { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' }] }),
    ];
    const given = group('g', {
      nodes: ['a', 'b', 'c', 'd'],
      instances: ['a', 'b', 'c'].map((n) => running(`i-${n}`, n)),
    });
    expect(status(given, nodes).report).toMatchObject({
      registered: 4,
      ready: 1,
      notStarted: 1,
      unready: 1,
      deleted: 1,
      target: 4,
    });
  });

  test.each([
    ['a driver of GPUs', 'gpu.nvidia.com', { ready: 1, notStarted: 0 }],
    ['a driver of network cards', 'dra.networking', { ready: 0, notStarted: 1 }],
  ])('a young node without a device plugin whose devices are published by %s counts as %o', (_, driver, counted) => {
    const young = node('a', {}, { createdAt: epochMs(NOW - 1_000) });
    const given = group('g', { nodes: ['a'], instances: [running('i-a', 'a')], node: { cpu: 4, 'nvidia.com/gpu': 8 } });
    const slice = { name: 'a-x7k2p', driver, nodeName: nodeName('a'), devices: 8 };
    const registry = buildRegistry(scenario({ groups: [given], nodes: [young], objects: { resourceSlices: [slice] } }));
    expect(registry.groups.get(given.name)?.report).toMatchObject(counted);
  });

  test.each([
    ['ToBeDeletedByClusterAutoscaler', '1', 'NoSchedule', 1],
    ['node-lifecycle.kubernetes.io/disruption', 'disrupting', 'NoSchedule', 1],
    ['node-lifecycle.kubernetes.io/disruption', 'disrupting', 'NoExecute', 1],
    ['node-lifecycle.kubernetes.io/disruption', 'candidate', 'PreferNoSchedule', 0],
    ['DeletionCandidateOfClusterAutoscaler', '1', 'PreferNoSchedule', 0],
  ])('a node without an instance that bears %s=%s:%s counts as deleted: %i', (key, value, effect, deleted) => {
    const nodes = [node('a', {}, { taints: [{ key, value, effect }] })];
    const { report } = status(group('g', { nodes: ['a'], instances: [] }), nodes);
    expect(report).toMatchObject({ deleted, ready: 1 - deleted });
  });

  test('reports what the cloud itself does to the group, and nothing elsewhere', () => {
    const cloudActions = ['CapacityRebalance', 'ZonesRebalanced'] as const;
    expect(status(group('g', { cloudActions })).report.warnings).toEqual(cloudActions);
    expect(status(group('g')).report).not.toHaveProperty('warnings');
  });

  test('reports a size that another client has changed, and nothing elsewhere', () => {
    const resized = { ...group('g'), resizedByOthers: { from: 7, to: 1 } };
    expect(status(resized).report.resizedByOthers).toEqual({ from: 7, to: 1 });
    expect(status(group('g')).report).not.toHaveProperty('resizedByOthers');
  });

  test('a node that the cloud does not list yet is not taken for deleted', () => {
    expect(status(group('g', { nodes: ['a'], instances: [] })).report).toMatchObject({ deleted: 0, ready: 1 });
  });

  test('a node that cannot be read is there: its instance is neither unregistered nor missing', () => {
    const given = group('g', { nodes: ['a', 'b'], target: 2 });
    const since = { [instanceId('i-g-1')]: epochMs(NOW - 16 * 60_000) };
    const registry = buildRegistry(
      scenario({
        groups: [given],
        nodes: [node('a')],
        objects: {
          excludedNodes: [
            { node: nodeName('b'), reason: 'UnreadableNode', message: 'Node b: spec: expected an object, found 7' },
          ],
        },
        state: { unregisteredSince: since, ...request(1) },
      }),
    );
    expect(registry.groups.get(given.name)).toMatchObject({
      report: { registered: 2, unregistered: 0, longUnregistered: 0, incorrectSize: null },
      upcoming: 0,
    });
    expect(registry.report.repairs).toEqual([]);
  });

  test.each([
    { stays: undefined, repairs: ['i-1', 'i-2'], target: 1, beyondRepair: [] },
    { stays: 'others are taken first', repairs: [], target: 3, beyondRepair: ['i-2', 'i-1'] },
  ])('instances that will be no nodes are ended, unless others would be in their place: $stays', (one) => {
    const { stays } = one;
    const given = group('g', {
      target: 3,
      nodes: ['a'],
      instances: [running('i-a', 'a'), { ...running('i-1', null), stays }, { ...failed('i-2', 'Other'), stays }],
    });
    const registry = buildRegistry(
      scenario({
        groups: [given],
        nodes: [node('a')],
        state: { unregisteredSince: { [instanceId('i-1')]: epochMs(NOW - 16 * 60_000) } },
      }),
    );
    expect(registry.report.repairs.map((repair) => 'instance' in repair && repair.instance)).toEqual(one.repairs);
    const status = registry.groups.get(given.name)!;
    expect(status).toMatchObject({ target: one.target, upcoming: 0 });
    expect(status.beyondRepair.map(({ id }) => id)).toEqual(one.beyondRepair);
  });

  test.each([
    [undefined, 1],
    ['Cluster default/c1 is paused', 0],
  ])('a group counts what is on its way, and is repaired unless it is paused: %s', (paused, repairs) => {
    const given = group('g', {
      target: 3,
      nodes: ['a'],
      instances: [running('i-a', 'a'), running('i-1', null), running('i-2', null)],
      ...(paused !== undefined && { paused }),
    });
    const registry = buildRegistry(
      scenario({
        groups: [given],
        nodes: [node('a')],
        state: { unregisteredSince: { [instanceId('i-1')]: epochMs(NOW - 16 * 60_000) } },
      }),
    );
    expect(registry.groups.get(given.name)).toMatchObject({ report: { ready: 1, longUnregistered: 1 }, upcoming: 1 });
    expect(registry.report.repairs).toHaveLength(repairs);
  });

  test('instances that a paused group lacks are not missed', () => {
    const given = group('g', { target: 3, nodes: ['a'], instances: [running('i-a', 'a')], paused: 'it is paused' });
    const incorrectSize = { g: { current: 1, expected: 3, firstObserved: epochMs(NOW - 60 * 60_000) } };
    expect(status(given, [node('a')], { incorrectSize }).report.incorrectSize).toBeNull();
  });

  test('instances without a node are unregistered, and long so after maxNodeProvisionTime', () => {
    const given = group('g', { target: 2, instances: [running('i-1', null), running('i-2', null)] });
    const since = { [instanceId('i-1')]: epochMs(NOW - 16 * 60_000) };
    expect(status(given, [], { unregisteredSince: since }).report).toMatchObject({
      unregistered: 1,
      longUnregistered: 1,
    });
  });

  test('a group may give its instances other times to register and to become ready', () => {
    const times = { maxNodeProvisionTime: minutes(20), maxNodeStartupTime: minutes(40) };
    const since = { [instanceId('i-1')]: epochMs(NOW - 16 * 60_000), [instanceId('i-2')]: epochMs(NOW - 21 * 60_000) };
    const started = (name: string, ago: number) => node(name, {}, { ...down, createdAt: epochMs(NOW - ago * 60_000) });
    const given = (options: NodeGroup['options']): NodeGroup =>
      group('g', {
        nodes: ['a', 'b'],
        target: 4,
        instances: [running('i-1', null), running('i-2', null), running('i-a', 'a'), running('i-b', 'b')],
        options,
      });
    const report = (options: NodeGroup['options']) =>
      status(given(options), [started('a', 39), started('b', 41)], { unregisteredSince: since }).report;
    expect(report(times)).toMatchObject({ unregistered: 1, longUnregistered: 1, notStarted: 1, unready: 1 });
    expect(report({})).toMatchObject({ unregistered: 0, longUnregistered: 2, notStarted: 0, unready: 2 });
  });

  // Source: `expectedToRegister` of Cluster Autoscaler's clusterstate.go.
  test.each([
    { name: 'runs', instance: running('i-1', null), expected: 1 },
    { name: 'is being launched', instance: { ...running('i-1', null), state: 'Creating' as const }, expected: 1 },
    { name: 'could not be launched', instance: failed('i-1', 'Quota'), expected: 0 },
    { name: 'is being ended', instance: { ...running('i-1', null), state: 'Deleting' as const }, expected: 0 },
    { name: 'is a node', instance: running('i-1', 'a'), expected: 0 },
    { name: 'is to be a node that is not there', instance: running('i-1', 'x'), expected: 1 },
  ])('an instance that $name is unregistered: $expected', ({ instance, expected }) => {
    const given = group('g', { nodes: ['a'], target: 2, instances: [instance] });
    for (const [since, of] of [
      [NOW, 'unregistered'],
      [epochMs(NOW - 15 * 60_000), 'unregistered'],
      [epochMs(NOW - 15 * 60_000 - 1), 'longUnregistered'],
    ] as const) {
      const { report } = status(given, [node('a')], { unregisteredSince: { [instance.id]: since } });
      expect(report).toMatchObject({ unregistered: 0, longUnregistered: 0, [of]: expected });
    }
  });

  test.each([
    { name: 'a moment before its waiting time is over', until: NOW + 1, expected: true },
    { name: 'just as it is over', until: NOW, expected: true },
    { name: 'after that', until: NOW - 1, expected: false },
  ])('is left alone $name: $expected', ({ until, expected }) => {
    const backoff = { [groupName('g')]: backoffSince(NOW, { until: epochMs(until), class: 'Other' }) };
    const { backoff: waiting, report } = status(group('g'), [], { backoff });
    expect(waiting !== null).toBe(expected);
    expect(report.backoffUntil).toBe(expected ? until : null);
  });

  test('that has nothing but a node without an instance is judged by what is missing, not taken for one not begun', () => {
    const gone = node(
      'a',
      {},
      { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' }] },
    );
    const { report } = status(group('g', { nodes: ['a'], target: 2, instances: [] }), [gone]);
    expect(report).toMatchObject({ deleted: 1, registered: 1, healthy: true });
  });

  test.each([
    { name: 'nothing open, all there', target: 1, increase: 0, expected: 0 },
    { name: 'a request for two, one of them there', target: 3, increase: 2, expected: 2 },
    { name: 'a target that was raised outside of Outrigger', target: 3, increase: 0, expected: 0 },
  ])('upcoming: $name → $expected', ({ target, increase, expected }) => {
    const given = group('g', { nodes: ['a'], target });
    expect(status(given, undefined, increase > 0 ? request(increase) : {}).upcoming).toBe(expected);
  });

  test.each([
    { name: 'the failure of what was asked for', lastFailure: NOW, expected: 0 },
    { name: 'a failure before it, by a clock that is ahead', lastFailure: NOW - 300_000, expected: 2 },
  ])('upcoming in a waiting time after $name → $expected', ({ lastFailure, expected }) => {
    const backoff = {
      [groupName('g')]: backoffSince(epochMs(lastFailure), { until: epochMs(NOW + 1), class: 'Other' }),
    };
    const given = group('g', { nodes: ['a'], target: 3 });
    expect(status(given, undefined, { ...request(2), backoff }).upcoming).toBe(expected);
  });

  test('the place of an instance that is on its way out is awaited, though its node is still there', () => {
    const given = group('g', {
      nodes: ['a', 'b'],
      target: 2,
      instances: [running('i-a', 'a'), { ...running('i-b', 'b'), state: 'Deleting' }],
    });
    expect(status(given, undefined, request(2))).toMatchObject({ upcoming: 1, report: { ready: 2 } });
    expect(status(given).upcoming).toBe(0);
  });

  test.each(['constructor', '__proto__', 'toString'])('a group called %s is like any other', (name) => {
    const instances = [failed('i-1', 'OutOfResources'), running('i-2', null)];
    const own = status(group(name, { target: 5, instances }));
    const usual = status(group('g', { target: 5, instances }));
    expect(own).toEqual({ ...usual, group: name });
  });

  test('acceptable sizes leave room for what was asked for a moment ago', () => {
    expect(status(group('g', { nodes: ['a'], target: 6 }), undefined, request(5)).report.acceptable).toEqual({
      min: 1,
      max: 6,
      current: 6,
    });
  });

  test.each([
    { name: 'empty and wanted empty', target: 0, nodes: 0, expected: true },
    { name: 'all ready', target: 5, nodes: 5, expected: true },
    { name: 'three missing', target: 8, nodes: 5, expected: true },
    { name: 'four of ten missing', target: 10, nodes: 6, expected: false },
    { name: 'four of twenty missing', target: 20, nodes: 16, expected: true },
    { name: 'nothing there of what was asked for long ago', target: 4, nodes: 0, expected: false },
  ])('healthy: $name → $expected', ({ target, nodes, expected }) => {
    const given = group('g', { target, max: 50, nodes: times(nodes, (i) => `n-${i}`) });
    expect(status(given).report.healthy).toBe(expected);
  });

  test.each([
    [5, true],
    [6, false],
  ])('a group of twelve nodes with %i unready ones is healthy: %s', (unready, expected) => {
    const names = times(12, (i) => `n-${i}`);
    const nodes = names.map((name, i) => node(name, {}, i < unready ? down : {}));
    expect(status(group('g', { target: 12, nodes: names }), nodes).report.healthy).toBe(expected);
  });

  test('a group is healthy without a node while all of its nodes were asked for a moment ago', () => {
    expect(status(group('g', { target: 4 }), [], request(4)).report.healthy).toBe(true);
    expect(status(group('g', { target: 4 }), [], request(3)).report.healthy).toBe(false);
  });

  test('a group is healthy with as many instances that have never registered as nodes that are ready', () => {
    const { groups } = registryOf([populated({ target: 2, ready: 1, long: 1 })]);
    expect(groups.get(NAME)!.report.healthy).toBe(true);
  });
});

describe('a group that is not listed, such as one whose tags of discovery were taken off', () => {
  const stored = (expectedAddTime: number): Pick<State, 'scaleUpRequests'> => ({
    scaleUpRequests: [
      { group: groupName('g'), increase: 2, time: epochMs(NOW - 10), expectedAddTime: epochMs(expectedAddTime) },
    ],
  });
  const unlisted = (expectedAddTime: number): State =>
    buildRegistry(scenario({ groups: [group('other')], state: stored(expectedAddTime) })).state;

  test('keeps its request: what it asks for is upcoming when the group is back', () => {
    const { scaleUpRequests } = unlisted(NOW + 1);
    expect(scaleUpRequests).toEqual(stored(NOW + 1).scaleUpRequests);
    expect(status(group('g', { nodes: ['a'], target: 3 }), undefined, { scaleUpRequests }).upcoming).toBe(2);
  });

  test('loses it when its time is over', () => {
    expect(unlisted(NOW - 1).scaleUpRequests).toEqual([]);
  });
});

describe('the registry of the cluster', () => {
  test.each([
    { unready: 3, ready: 0, expected: true },
    { unready: 4, ready: 4, expected: false },
    { unready: 9, ready: 11, expected: true },
    { unready: 10, ready: 10, expected: false },
  ])('$unready unready of $ready more: healthy is $expected', ({ unready, ready, expected }) => {
    const nodes = [...times(unready, (i) => node(`u-${i}`, {}, down)), ...times(ready, (i) => node(`r-${i}`))];
    expect(buildRegistry(scenario({ nodes })).report.clusterHealthy).toBe(expected);
  });

  test('nodes on their way out count among all nodes, whether they belong to a group or not', () => {
    const taints = [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' }];
    const unready = times(9, (i) => node(`u-${i}`, {}, down));
    const leaving = times(11, (i) => node(`d-${i}`, {}, { ...down, taints }));
    const inGroup = group('g', { nodes: leaving.slice(0, 5).map(({ name }) => name), target: 5, instances: [] });
    const { report } = buildRegistry(scenario({ groups: [inGroup], nodes: [...unready, ...leaving] }));
    expect(report.totals).toMatchObject({ registered: 20, unready: 9, deleted: 11, ready: 0 });
    expect(report.clusterHealthy).toBe(true);
  });

  test('totals are the sums of the groups and the nodes of none', () => {
    const groups = [
      group('a', { nodes: ['a0', 'a1'], target: 3, instances: [running('i-1', null)] }),
      group('b', { nodes: ['b0'], target: 2, instances: [running('i-2', null)] }),
    ];
    const nodes = [
      node('a0'),
      node('a1', {}, down),
      node('b0', {}, { ...down, createdAt: NOW }),
      node('x0'),
      node('x1', {}, { conditions: [{ type: 'Suspended', status: 'True', reason: '', since: null }] }),
    ];
    const { report } = buildRegistry(
      scenario({ groups, nodes, state: { unregisteredSince: { [instanceId('i-2')]: epochMs(NOW - 16 * 60_000) } } }),
    );
    expect(report.totals).toEqual({
      registered: 5,
      ready: 2,
      unready: 1,
      notStarted: 1,
      suspended: 1,
      deleted: 0,
      unregistered: 1,
      longUnregistered: 1,
    });
  });

  const STOPPED = {
    ...down,
    taints: [{ key: 'node.cloudprovider.kubernetes.io/shutdown', value: '', effect: 'NoSchedule' as const }],
  };

  test('nodes of no group whose instances are stopped wait in a warm pool: the cluster is healthy all the same', () => {
    const nodes = times(20, (i) => node(`x${i}`, {}, STOPPED));
    const { report } = buildRegistry(scenario({ nodes: [...nodes, node('ready')] }));
    expect(report).toMatchObject({ clusterHealthy: true, totals: { registered: 21, suspended: 20, unready: 0 } });
  });

  test.each<readonly [string, GroupGiven, number | null, 'notStarted' | 'unready']>([
    ['that the latest scale-up has taken from the warm pool starts', { warmPool: {} }, 1, 'notStarted'],
    ['that has been up for too long to start is not ready', { warmPool: {} }, 60, 'unready'],
    ['of a group that has never grown is not ready', { warmPool: {} }, null, 'unready'],
    ['of a group without a warm pool is not ready', {}, 1, 'unready'],
  ])('a stopped node %s', (_, given, ago, expected) => {
    const of = group('g', { nodes: ['a'], ...given });
    const grown = { lastScaleUp: ago === null ? null : epochMs(NOW - minutes(ago)) };
    const groups = { g: { lastScaleDownDelete: null, lastScaleDownFailure: null, ...grown } };
    const { report } = status(of, [node('a', {}, STOPPED)], { groups });
    expect([report.notStarted, report.unready]).toEqual(expected === 'notStarted' ? [1, 0] : [0, 1]);
  });

  test('a request is closed once all its nodes are there', () => {
    const { state } = buildRegistry(
      scenario({ groups: [group('g', { nodes: ['a'] })], nodes: [node('a')], state: request(1) }),
    );
    expect(state.scaleUpRequests).toEqual([]);
  });

  test('what is remembered of instances that are gone is forgotten', () => {
    const { state } = buildRegistry(
      scenario({ groups: [group('g')], state: { unregisteredSince: { [instanceId('i-gone')]: NOW } } }),
    );
    expect(state.unregisteredSince).toEqual({});
  });

  test('an instance that is to be ended is as old as before when it is not', () => {
    const since = { [instanceId('i-1')]: epochMs(NOW - 16 * 60_000) };
    const seen = (state: 'Deleting' | 'Running', unregisteredSince: State['unregisteredSince']) =>
      buildRegistry(
        scenario({
          groups: [group('g', { target: 1, instances: [{ ...running('i-1', null), state }] })],
          state: { unregisteredSince },
        }),
      );
    const ending = seen('Deleting', since);
    expect(ending.report.totals).toMatchObject({ unregistered: 0, longUnregistered: 0 });
    expect(seen('Running', ending.state.unregisteredSince).report.totals.longUnregistered).toBe(1);
  });

  test('an old backoff is forgotten', () => {
    const backoff = (lastFailure: number) => ({
      [groupName('g')]: backoffSince(epochMs(lastFailure), { until: NOW, duration: 0 as never, class: 'Other' }),
    });
    const kept = (lastFailure: number) =>
      buildRegistry(scenario({ state: { backoff: backoff(lastFailure) } })).state.backoff;
    expect(Object.keys(kept(NOW - 3 * 3_600_000))).toEqual(['g']);
    expect(Object.keys(kept(NOW - 3 * 3_600_000 - 1))).toEqual([]);
  });
});
