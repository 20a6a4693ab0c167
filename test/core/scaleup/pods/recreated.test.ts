import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import { groupName, nodeName } from '../../../../core/model/values/names.ts';
import { TO_BE_DELETED_TAINT } from '../../../../core/model/cluster/node.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { DeletionInProgress } from '../../../../core/model/state.ts';
import type { Controller } from '../../../../core/model/cluster/workloads.ts';
import { affinityTerm, controller, node, pod, type PodOptions, selector } from '../../../builders.ts';
import { addTime, minutes, seconds } from '../../../../core/model/values/time.ts';
import { group, NOW, removalOf, type ScenarioGiven, times } from '../../../scenario-builders.ts';
import { cluster, waiting, runningOn, rows, growth } from './two-nodes.ts';

const TOLERATES_ALL = { key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null };

describe('pods of nodes that are being drained', () => {
  const deletion = (name: string, kind: DeletionInProgress['kind'] = 'drain'): DeletionInProgress =>
    removalOf(name, 'g', { kind });
  const draining = (given: ScenarioGiven, kind: DeletionInProgress['kind'] = 'drain'): Decision =>
    evaluate(cluster({ ...given, state: { deletionsInProgress: [deletion('n1', kind)] } }));

  test('find their next place on another node', () => {
    const decision = draining({ pods: [runningOn('n1', 'a')] });
    expect(rows(decision)).toEqual({ a: 'Fits' });
    expect(decision.scaleUp.result).toBe('NotNeeded');
  });

  test('take it before others do, who then get a new node', () => {
    const decision = draining({ pods: [runningOn('n1', 'a'), waiting('b')] });
    expect(growth(decision)).toBe(1);
    expect(Object.values(rows(decision)).toSorted()).toEqual(['Fits', 'Triggered']);
  });

  test('get a new node where there is no other place, once', () => {
    const pods = [runningOn('n1', 'a'), runningOn('n2', 'b')];
    const first = draining({ pods });
    expect(rows(first)).toEqual({ a: 'Triggered' });
    expect(first.scaleUp.increases).toEqual([{ group: 'g', from: 2, to: 3 }]);
    const state = { ...first.state, deletionsInProgress: [deletion('n1')] };
    const second = evaluate(cluster({ groups: [group('g', { nodes: ['n1', 'n2'], target: 3 })], pods, state }));
    expect(rows(second)).toEqual({ a: 'Fits' });
    expect(second.scaleUp.result).toBe('NotNeeded');
    const pending = pod('a2', { requests: { cpu: 3 }, owner: 'ReplicaSet/web' });
    const third = evaluate(
      cluster({
        groups: [group('g', { nodes: ['n1', 'n2'], target: 3 })],
        pods: [{ ...pods[0]!, deletedAt: NOW }, pods[1]!, pending],
        state: { ...second.state, deletionsInProgress: [deletion('n1')] },
      }),
    );
    expect(rows(third)).toEqual({ a2: 'Fits' });
    expect(third.scaleUp.increases).toEqual([]);
  });

  test.each([
    ['a DaemonSet pod', { owner: 'DaemonSet/logs' }],
    ['a pod declared to be like one', { annotations: { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true' } }],
    ['a mirror pod', { annotations: { 'kubernetes.io/config.mirror': 'x' } }],
    ['a pod that has finished', { phase: 'Succeeded' as const }],
    ['a pod that is on its way out', { deletedAt: NOW }],
  ])('but %s does not come back', (_, given) => {
    expect(rows(draining({ pods: [runningOn('n1', 'a', given)] }))).toEqual({});
  });

  test('but a pod that has no controller does not come back', () => {
    const bare = { ...runningOn('n1', 'a'), controller: null };
    expect(rows(draining({ pods: [bare, runningOn('n2', 'b')] }))).toEqual({});
  });

  test('an expendable one is ignored like any other', () => {
    expect(rows(draining({ pods: [runningOn('n1', 'a', { spec: { priority: -11 } })] }))).toEqual({ a: 'Ignored' });
  });

  test.each(['newPodScaleUpDelay', 'unschedulablePodTimeBuffer'] as const)(
    'get a new node however young they are: %s is for pods that have had none',
    (delay) => {
      const given = {
        options: { [delay]: seconds(30) },
        pods: [{ ...runningOn('n1', 'a'), createdAt: addTime(NOW, seconds(-1)) }, runningOn('n2', 'b')],
      };
      expect(rows(draining(given))).toEqual({ a: 'Triggered' });
    },
  );

  test('those of a node that is removed because it is empty are none', () => {
    expect(rows(draining({ pods: [runningOn('n1', 'a')] }, 'empty'))).toEqual({});
  });

  test('nodes on their way out take no pods, be their taint seen or not', () => {
    for (const kind of ['drain', 'empty'] as const) {
      expect(rows(draining({ pods: [runningOn('n2', 'b'), waiting('p')] }, kind))).toEqual({ p: 'Triggered' });
    }
    const taints = [{ key: TO_BE_DELETED_TAINT, value: '1', effect: 'NoSchedule' }];
    const nodes = [node('n1', { cpu: 4 }, { taints }), node('n2', { cpu: 4 })];
    expect(rows(draining({ nodes, pods: [runningOn('n2', 'b'), waiting('p')] }))).toEqual({ p: 'Triggered' });
  });

  test.each(['drain', 'empty'] as const)(
    'nor pods that tolerate its taint, which would have to leave it again (%s)',
    (kind) => {
      const given = { spec: { tolerations: [TOLERATES_ALL] } };
      const pods = [runningOn('n1', 'a', given), runningOn('n2', 'b', given), waiting('p', given)];
      const leaving = kind === 'drain' ? { a: 'Triggered' } : {};
      expect(rows(draining({ pods }, kind))).toEqual({ ...leaving, p: 'Triggered' });
      expect(rows(draining({ pods: pods.slice(1) }, kind))).toEqual({ p: 'Triggered' });
      expect(rows(draining({ pods: pods.slice(2) }, kind))).toEqual({ p: 'Fits' });
    },
  );

  test('are counted once: they do not stand in their own way', () => {
    const apart = {
      labels: { app: 'db' },
      spec: { podAntiAffinity: [affinityTerm('topology.kubernetes.io/zone', selector({ app: 'db' }))] },
    };
    const inZone = (name: string) => node(name, { cpu: 4 }, { labels: { 'topology.kubernetes.io/zone': 'a' } });
    const decision = draining({ nodes: [inZone('n1'), inZone('n2')], pods: [runningOn('n1', 'db-0', apart)] });
    expect(rows(decision)).toEqual({ 'db-0': 'Fits' });
  });
});

describe('pods of nodes whose instances have been ended', () => {
  const time = addTime(NOW, minutes(-1));
  const request = { group: groupName('g'), node: nodeName('n1'), time, expectedDeleteTime: addTime(NOW, minutes(4)) };
  const underWay: DeletionInProgress = removalOf(request.node, request.group, { kind: 'empty', since: time });
  const ended = (created: number | null, deletionsInProgress: readonly DeletionInProgress[] = []): Decision => {
    const createdAt = created === null ? null : addTime(NOW, minutes(created));
    return evaluate(
      cluster({
        nodes: [node('n1', { cpu: 4 }, { createdAt }), node('n2', { cpu: 4 })],
        pods: [runningOn('n1', 'a'), runningOn('n2', 'b')],
        state: { scaleDownRequests: [request], deletionsInProgress },
      }),
    );
  };

  test('go with them, and need another place', () => {
    expect(rows(ended(-30))).toEqual({ a: 'Triggered' });
  });

  test.each([
    { what: 'a Node that came since under the same name', decide: () => ended(-0.5) },
    { what: 'one of which that is not known', decide: () => ended(null) },
    { what: 'a node whose removal as an empty one goes on', decide: () => ended(-30, [underWay]) },
  ])('but those of $what stay', ({ decide }) => {
    expect(rows(decide())).toEqual({});
  });
});

describe('pods evicted lately', () => {
  const replicaSet = (replicas: number): Controller => controller('ReplicaSet/web', { replicas });
  const evicted = (name: string, options: PodOptions = {}): Pod => runningOn('gone', name, options);
  const after = (evictions: readonly Pod[], pods: readonly Pod[], controllers: readonly Controller[]): Decision =>
    evaluate(cluster({ pods, objects: { controllers }, state: { recentEvictions: evictions } }));
  const others = [runningOn('n1', 'other', { owner: 'ReplicaSet/other' })];

  test('keep their place until they are re-created, without a row of their own', () => {
    const decision = after([evicted('a')], [...others, waiting('p')], [replicaSet(1)]);
    expect(rows(decision)).toEqual({ p: 'Fits' });
    expect(growth(decision)).toBe(1);
  });

  test.each([
    ['their controller has all its pods', 0, [evicted('a')], 1, [runningOn('n1', 'a-2')]],
    ['one of two is back', 0, [evicted('a'), evicted('b')], 2, [runningOn('n1', 'a-2')]],
    ['none of three is back', 1, ['a', 'b', 'c'].map((name) => evicted(name)), 3, []],
    ['their controller was scaled to less', 0, ['a', 'b', 'c'].map((name) => evicted(name)), 1, []],
    ['their controller requests none', 0, ['a', 'b', 'c'].map((name) => evicted(name)), 0, []],
    [
      'what is left of their controller is on its way out',
      1,
      ['a', 'b', 'c'].map((name) => evicted(name)),
      3,
      times(3, (i) => runningOn('n1', `old-${i}`, { requests: {}, deletedAt: NOW })),
    ],
    [
      'what is left of their controller has failed',
      1,
      ['a', 'b', 'c'].map((name) => evicted(name)),
      3,
      times(3, (i) => runningOn('n1', `old-${i}`, { requests: {}, phase: 'Failed' })),
    ],
  ])('%s: %s new nodes', (_, nodes, evictions, replicas, back) => {
    const decision = after(evictions, back, [replicaSet(replicas)]);
    expect(growth(decision)).toBe(nodes);
    expect(rows(decision)).toEqual({});
  });

  test.each([
    ['a pod without a controller is not created again', { controller: null }, 0],
    ['a DaemonSet pod goes with its node', { owner: 'DaemonSet/logs' }, 0],
    ['a mirror pod goes with its node', { annotations: { 'kubernetes.io/config.mirror': 'x' } }, 0],
    ['an expendable one is not bought for', { spec: { priority: -11 } }, 0],
    ['of a controller that is not known they come back', { owner: 'CloneSet/web' }, 1],
  ])('%s', (_, given, nodes) => {
    const full = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`, { owner: 'ReplicaSet/other' }));
    expect(growth(after([evicted('a', given)], full, []))).toBe(nodes);
  });

  test('one that is back under its old name is back', () => {
    const full = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`, { owner: 'ReplicaSet/other' }));
    const again = pod('db-0', { requests: { cpu: 3 }, owner: 'StatefulSet/db' });
    const decision = after([evicted('db-0', { owner: 'StatefulSet/db' })], [...full, again], []);
    expect(rows(decision)).toEqual({ 'db-0': 'Triggered' });
    expect(growth(decision)).toBe(1);
  });

  test.each([
    ['keep their place while no controllers are known', [], 1],
    ['keep their place while DaemonSets alone are known', [{ ...replicaSet(1), kind: 'DaemonSet', name: 'agent' }], 1],
    [
      'leave none when their controller, the last of its kind, has been deleted',
      [{ ...replicaSet(1), kind: 'StatefulSet', name: 'db', uid: 'uid-db' }],
      0,
    ],
    ['leave none when their controller has been deleted', [{ ...replicaSet(1), name: 'other', uid: 'uid-other' }], 0],
  ] as const)('%s', (_what, controllers, nodes) => {
    const decision = after([evicted('a')], [...others, waiting('p')], controllers);
    expect(growth(decision)).toBe(nodes);
  });

  test('find their place when they are back: nothing is bought twice', () => {
    const full = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`, { owner: 'ReplicaSet/other' }));
    const first = after([evicted('a')], full, [replicaSet(1)]);
    expect(growth(first)).toBe(1);
    const again = pod('a-2', { requests: { cpu: 3 }, owner: 'ReplicaSet/web' });
    const second = evaluate(
      cluster({
        groups: [group('g', { nodes: ['n1', 'n2'], target: 3 })],
        pods: [...full, again],
        objects: { controllers: [replicaSet(1)] },
        state: { ...first.state, recentEvictions: [evicted('a')] },
      }),
    );
    expect(rows(second)).toEqual({ 'a-2': 'Fits' });
    expect(growth(second)).toBe(0);
  });
});

test('the order of pods, evictions and deletions makes no difference', () => {
  const pods = [runningOn('n1', 'c'), runningOn('n1', 'a', { requests: { cpu: 1 } }), waiting('b'), waiting('d')];
  const recentEvictions = ['x', 'y'].map((name) => runningOn('gone', name, { owner: 'CloneSet/web' }));
  const state = { recentEvictions, deletionsInProgress: ['n1', 'n2'].map((name) => removalOf(name, 'g')) };
  const reversed = {
    recentEvictions: recentEvictions.toReversed(),
    deletionsInProgress: state.deletionsInProgress.toReversed(),
  };
  const decision = evaluate(cluster({ pods, state }));
  expect(evaluate(cluster({ pods: pods.toReversed(), state: reversed }))).toEqual(decision);
  expect(Object.keys(rows(decision))).toEqual(['a', 'b', 'c', 'd']);
});
