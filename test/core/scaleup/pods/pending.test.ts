import { describe, expect, test } from 'vitest';
import { evaluate, fit } from '../../../../core/evaluate.ts';
import type { Decision, PodOutcome } from '../../../../core/model/decision.ts';
import { groupName, nodeName } from '../../../../core/model/values/names.ts';
import { TO_BE_DELETED_TAINT } from '../../../../core/model/cluster/node.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import type { DeletionInProgress } from '../../../../core/model/state.ts';
import { epochMs, seconds } from '../../../../core/model/values/time.ts';
import { oldEnoughAt } from '../../../../core/scaleup/pods/pending.ts';
import type { Controller } from '../../../../core/model/cluster/workloads.ts';
import { node, pod, type PodOptions, selector } from '../../../builders.ts';
import { group, NOW, scenario, type ScenarioGiven, times } from '../../../scenario-builders.ts';

/** Two nodes of 4 cpu in a group that may grow, and pods. */
const cluster = (given: ScenarioGiven = {}): Scenario =>
  scenario({
    groups: [group('g', { nodes: ['n1', 'n2'] })],
    nodes: [node('n1', { cpu: 4, memory: '16Gi' }), node('n2', { cpu: 4, memory: '16Gi' })],
    ...given,
  });

const waiting = (name: string, options: PodOptions = {}): Pod => pod(name, { requests: { cpu: 3 }, ...options });
const runningOn = (home: string, name: string, options: PodOptions = {}): Pod =>
  pod(name, { node: home, requests: { cpu: 3 }, owner: 'ReplicaSet/web', ...options });

const rows = ({ scaleUp }: Decision): Readonly<Record<string, PodOutcome['outcome']>> =>
  Object.fromEntries(scaleUp.pods.map(({ pod: key, outcome }) => [key.replace('default/', ''), outcome]));
const growth = ({ scaleUp }: Decision): number => scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
const reasonOf = ({ scaleUp }: Decision, name: string): string | undefined =>
  scaleUp.pods.find(({ pod: key }) => key === `default/${name}`)?.reasons?.[0]?.reason;

const createdAgo = (age: number): { readonly createdAt: Pod['createdAt'] } => ({ createdAt: epochMs(NOW - age) });

describe('schedulers', () => {
  const NEVER_SEEN = { unscheduled: null, spec: { schedulerName: 'batch' } } as const;

  test.each([
    { what: 'has not been evaluated by the scheduler', given: NEVER_SEEN, expected: { p: 'Fits' } },
    {
      what: 'has a condition without a reason',
      given: { ...NEVER_SEEN, unscheduled: { reason: '', since: null } },
      expected: { p: 'Fits' },
    },
    {
      what: 'is gated',
      given: { ...NEVER_SEEN, unscheduled: { reason: 'SchedulingGated', since: null } },
      expected: {},
    },
    {
      what: 'is gated and has not been evaluated by the scheduler',
      given: { unscheduled: null, spec: { schedulerName: 'batch', schedulingGates: ['wait'] } },
      expected: {},
    },
    {
      what: 'failed to be scheduled',
      given: { ...NEVER_SEEN, unscheduled: { reason: 'SchedulerError', since: null } },
      expected: {},
    },
    { what: 'is another scheduler’s', given: { unscheduled: null }, expected: {} },
    { what: 'is being deleted', given: { ...NEVER_SEEN, deletedAt: NOW }, expected: {} },
    { what: 'has finished', given: { ...NEVER_SEEN, phase: 'Failed' as const }, expected: {} },
  ])('of a bypassed scheduler a pod that $what: $expected', ({ given, expected }) => {
    const input = cluster({ pods: [pod('p', given)], options: { bypassedSchedulerNames: ['batch'] } });
    expect(rows(evaluate(input))).toEqual(expected);
    expect(fit(input).map(({ pod: key }) => key)).toEqual(Object.keys(expected).map((name) => `default/${name}`));
  });

  test('an unschedulable pod that has failed waits no longer', () => {
    expect(rows(evaluate(cluster({ pods: [pod('p', { phase: 'Failed' })] })))).toEqual({});
  });

  test('a pod that the scheduler has not evaluated is not pending, unless its scheduler is bypassed', () => {
    expect(rows(evaluate(cluster({ pods: [pod('p', NEVER_SEEN)] })))).toEqual({});
  });

  test('only pods of allowed schedulers cause a scale-up', () => {
    const pods = [
      waiting('ours', { requests: { cpu: 4, memory: '16Gi' } }),
      waiting('theirs', { requests: { cpu: 4, memory: '16Gi' }, spec: { schedulerName: 'batch' } }),
    ];
    const full = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`));
    const decision = evaluate(
      cluster({ pods: [...full, ...pods], options: { allowedSchedulerNames: ['default-scheduler'] } }),
    );
    expect(rows(decision)).toEqual({ ours: 'Triggered', theirs: 'Ignored' });
    expect(reasonOf(decision, 'theirs')).toBe('its scheduler batch is not among allowedSchedulerNames');
    expect(growth(decision)).toBe(1);
  });
});

describe('a pod that is nominated', () => {
  const full = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`));

  test.each([
    { what: 'to a node that is there has its place', nominatedNode: 'n1', expected: 'Fits' },
    { what: 'to a node that has gone needs another', nominatedNode: 'gone', expected: 'Triggered' },
  ])('$what', ({ nominatedNode, expected }) => {
    expect(rows(evaluate(cluster({ pods: [...full, waiting('vip', { nominatedNode })] })))).toEqual({ vip: expected });
  });
});

// Source: Cluster Autoscaler's static_autoscaler.go, filterOutYoungPods.
describe('young pods', () => {
  const DELAY = 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay';
  test.each([
    { what: 'younger than the delay', age: 9_999, annotation: null, delay: '10s' },
    { what: 'as old as the delay', age: 10_000, annotation: null, delay: null },
    { what: 'with a longer delay of its own', age: 59_000, annotation: '1m', delay: '1m' },
    { what: 'with a shorter delay of its own', age: 9_000, annotation: '5s', delay: '10s' },
    { what: 'with a delay that is no duration', age: 11_000, annotation: 'soon', delay: null },
    { what: 'with a delay below zero', age: 9_000, annotation: '-1h', delay: '10s' },
    { what: 'without an age, whatever its delay', age: null, annotation: '2562047h', delay: null },
  ])('$what: $delay', ({ age, annotation, delay }) => {
    const p = waiting('p', {
      ...(age !== null && createdAgo(age)),
      annotations: annotation === null ? {} : { [DELAY]: annotation },
    });
    const decision = evaluate(cluster({ pods: [p], options: { newPodScaleUpDelay: seconds(10) } }));
    expect(rows(decision)).toEqual({ p: delay === null ? 'Fits' : 'Ignored' });
    expect(reasonOf(decision, 'p')).toBe(delay === null ? undefined : `younger than its scale-up delay of ${delay}`);
  });
});

describe('expendable pods', () => {
  const EXPENDABLE = { spec: { priority: -11 } };

  test('make room: nothing is bought for a pod that may take their place', () => {
    const low = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`, EXPENDABLE));
    expect(rows(evaluate(cluster({ pods: [...low, waiting('p')] })))).toEqual({ p: 'Fits' });
  });

  test('do not when they are of the priority where that ends', () => {
    const low = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`, { spec: { priority: -10 } }));
    expect(rows(evaluate(cluster({ pods: [...low, waiting('p')] })))).toEqual({ p: 'Triggered' });
  });
});

describe('brand-new pods', () => {
  const CA = defaultOptions('cluster-autoscaler');
  const gpuGroup = group('g', { node: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 1 } });
  const gpu = (name: string, age: number): Pod => pod(name, { requests: { 'nvidia.com/gpu': 1 }, ...createdAgo(age) });
  const plain = (name: string, age: number): Pod => waiting(name, createdAgo(age));

  const tooYoung = 'all pods that want a node are younger than unschedulablePodTimeBuffer 2s';
  const gpuTooYoung = 'all pods that want a GPU are younger than unschedulablePodWithGpuTimeBuffer 30s';
  test.each([
    { what: 'one of a second', pods: [plain('a', 1_000)], why: tooYoung },
    { what: 'one of two seconds', pods: [plain('a', 2_000)], why: null },
    { what: 'a new one beside an older one', pods: [plain('a', 0), plain('b', 3_000)], why: null },
    { what: 'one that does not tell its age', pods: [waiting('a'), plain('b', 0)], why: null },
    { what: 'one of 29 seconds that requests a GPU', pods: [gpu('a', 29_000)], why: gpuTooYoung },
    { what: 'one of 30 seconds that requests a GPU', pods: [gpu('a', 30_000)], why: null },
    { what: 'a new one beside an older one, both want GPUs', pods: [gpu('a', 0), gpu('b', 31_000)], why: null },
    {
      what: 'an old one beside a new one that requests a GPU',
      pods: [plain('a', 60_000), gpu('b', 29_000)],
      why: gpuTooYoung,
    },
  ])('$what: $why', ({ pods, why }) => {
    const decision = evaluate(scenario({ groups: [gpuGroup], pods, options: CA }));
    expect(decision.scaleUp.result).toBe(why === null ? 'ScaledUp' : 'Cooldown');
    expect(new Set(Object.values(rows(decision)))).toEqual(new Set([why === null ? 'Triggered' : 'Awaiting']));
    expect(reasonOf(decision, 'a') ?? null).toBe(why);
    expect(decision.scaleUp.increases).toHaveLength(why === null ? 1 : 0);
    expect(decision.state.scaleUpRequests).toHaveLength(why === null ? 1 : 0);
  });

  test('are not waited for by default', () => {
    const decision = evaluate(scenario({ groups: [gpuGroup], pods: [plain('a', 0), gpu('b', 0)] }));
    expect(rows(decision)).toEqual({ a: 'Triggered', b: 'Triggered' });
  });

  test('are not waited for when schedulers are bypassed', () => {
    const options = { ...CA, bypassedSchedulerNames: ['batch'] };
    expect(rows(evaluate(scenario({ groups: [gpuGroup], pods: [plain('a', 0)], options })))).toEqual({
      a: 'Triggered',
    });
  });

  test('hold nothing up when they fit: only those that want a node count', () => {
    const options = { unschedulablePodTimeBuffer: seconds(2) };
    const large = pod('large', { requests: { cpu: 4 }, createdAt: NOW });
    const decision = evaluate(
      cluster({ pods: [runningOn('n1', 'x'), runningOn('n2', 'y'), pod('fits', createdAgo(9_000)), large], options }),
    );
    expect(decision.scaleUp.result).toBe('Cooldown');
    expect(rows(decision)).toEqual({ fits: 'Fits', large: 'Awaiting' });
  });

  test('the limit of nodes comes first', () => {
    const options = { ...CA, maxNodesTotal: 2 };
    expect(
      evaluate(cluster({ pods: times(3, (i) => waiting(`p-${i}`, { createdAt: NOW })), options })).scaleUp.result,
    ).toBe('Limited');
  });
});

describe('pods of nodes that are being drained', () => {
  const deletion = (name: string, kind: DeletionInProgress['kind'] = 'drain'): DeletionInProgress => ({
    node: nodeName(name),
    group: groupName('g'),
    kind,
    since: NOW,
  });
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
    { what: 'a DaemonSet pod', given: { owner: 'DaemonSet/logs' } },
    {
      what: 'a pod declared to be like one',
      given: { annotations: { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true' } },
    },
    { what: 'a mirror pod', given: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
    { what: 'a pod that has finished', given: { phase: 'Succeeded' as const } },
    { what: 'a pod that is on its way out', given: { deletedAt: NOW } },
  ])('but $what does not come back', ({ given }) => {
    expect(rows(draining({ pods: [runningOn('n1', 'a', given)] }))).toEqual({});
  });

  test('an expendable one is ignored like any other', () => {
    expect(rows(draining({ pods: [runningOn('n1', 'a', { spec: { priority: -11 } })] }))).toEqual({ a: 'Ignored' });
  });

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

  test('are counted once: they do not stand in their own way', () => {
    const apart = {
      labels: { app: 'db' },
      spec: {
        podAntiAffinity: [
          {
            topologyKey: 'topology.kubernetes.io/zone',
            labelSelector: selector({ app: 'db' }),
            namespaces: [],
            namespaceSelector: null,
            matchLabelKeys: [],
            mismatchLabelKeys: [],
          },
        ],
      },
    };
    const inZone = (name: string) => node(name, { cpu: 4 }, { labels: { 'topology.kubernetes.io/zone': 'a' } });
    const decision = draining({ nodes: [inZone('n1'), inZone('n2')], pods: [runningOn('n1', 'db-0', apart)] });
    expect(rows(decision)).toEqual({ 'db-0': 'Fits' });
  });
});

describe('pods evicted lately', () => {
  const replicaSet = (replicas: number): Controller => ({
    kind: 'ReplicaSet',
    namespace: 'default',
    name: 'web',
    uid: 'uid-ReplicaSet/web',
    replicas,
    template: null,
  });
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
    {
      what: 'their controller has all its pods',
      evictions: [evicted('a')],
      replicas: 1,
      back: [runningOn('n1', 'a-2')],
      nodes: 0,
    },
    {
      what: 'one of two is back',
      evictions: [evicted('a'), evicted('b')],
      replicas: 2,
      back: [runningOn('n1', 'a-2')],
      nodes: 0,
    },
    {
      what: 'none of three is back',
      evictions: ['a', 'b', 'c'].map((name) => evicted(name)),
      replicas: 3,
      back: [],
      nodes: 1,
    },
    {
      what: 'their controller was scaled to less',
      evictions: ['a', 'b', 'c'].map((name) => evicted(name)),
      replicas: 1,
      back: [],
      nodes: 0,
    },
    {
      what: 'their controller requests none',
      evictions: ['a', 'b', 'c'].map((name) => evicted(name)),
      replicas: 0,
      back: [],
      nodes: 0,
    },
    {
      what: 'what is left of their controller is on its way out',
      evictions: ['a', 'b', 'c'].map((name) => evicted(name)),
      replicas: 3,
      back: times(3, (i) => runningOn('n1', `old-${i}`, { requests: {}, deletedAt: NOW })),
      nodes: 1,
    },
    {
      what: 'what is left of their controller has failed',
      evictions: ['a', 'b', 'c'].map((name) => evicted(name)),
      replicas: 3,
      back: times(3, (i) => runningOn('n1', `old-${i}`, { requests: {}, phase: 'Failed' })),
      nodes: 1,
    },
  ])('$what: $nodes new nodes', ({ evictions, replicas, back, nodes }) => {
    const decision = after(evictions, back, [replicaSet(replicas)]);
    expect(growth(decision)).toBe(nodes);
    expect(rows(decision)).toEqual({});
  });

  test.each([
    { what: 'a pod without a controller is not created again', given: { controller: null }, nodes: 0 },
    { what: 'a DaemonSet pod goes with its node', given: { owner: 'DaemonSet/logs' }, nodes: 0 },
    {
      what: 'a mirror pod goes with its node',
      given: { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      nodes: 0,
    },
    { what: 'an expendable one is not bought for', given: { spec: { priority: -11 } }, nodes: 0 },
    { what: 'of a controller that is not known they come back', given: { owner: 'CloneSet/web' }, nodes: 1 },
  ])('$what', ({ given, nodes }) => {
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
    ['keep their place while no controller of that kind is known', [], 1],
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
  const state = {
    recentEvictions,
    deletionsInProgress: ['n1', 'n2'].map((name) => ({
      node: nodeName(name),
      group: groupName('g'),
      kind: 'drain' as const,
      since: NOW,
    })),
  };
  const reversed = {
    recentEvictions: recentEvictions.toReversed(),
    deletionsInProgress: state.deletionsInProgress.toReversed(),
  };
  const decision = evaluate(cluster({ pods, state }));
  expect(evaluate(cluster({ pods: pods.toReversed(), state: reversed }))).toEqual(decision);
  expect(Object.keys(rows(decision))).toEqual(['a', 'b', 'c', 'd']);
});

describe('the time of the next recheck', () => {
  const buffers = { unschedulablePodTimeBuffer: seconds(2), unschedulablePodWithGpuTimeBuffer: seconds(30) };
  const gpuGroup = group('g', { node: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 1 } });
  const gpu = (name: string, age: number): Pod => pod(name, { requests: { 'nvidia.com/gpu': 1 }, ...createdAgo(age) });
  const plain = (name: string, age: number, given: PodOptions = {}): Pod =>
    waiting(name, { ...createdAgo(age), ...given });
  const never = { unscheduled: null, spec: { schedulerName: 'batch' } } as const;

  test.each([
    { what: 'nothing is too young', pods: [plain('a', 5_000)], options: {}, after: null },
    { what: 'all pods are new', pods: [plain('a', 500), plain('b', 1_500)], options: buffers, after: 500 },
    {
      what: 'a pod that requests a GPU is new',
      pods: [gpu('a', 10_000), plain('b', 60_000)],
      options: buffers,
      after: 20_000,
    },
    {
      what: 'pods are below the delay',
      pods: [plain('a', 1_000), plain('b', 4_000), plain('c', 60_000)],
      options: { newPodScaleUpDelay: seconds(10) },
      after: 6_000,
    },
    {
      what: 'pods of a bypassed scheduler are',
      pods: [plain('a', 1_000, never)],
      options: { newPodScaleUpDelay: seconds(10), bypassedSchedulerNames: ['batch'] },
      after: 9_000,
    },
    {
      what: 'a young pod is expendable or of a DaemonSet',
      pods: [plain('a', 0, { spec: { priority: -11 } }), plain('b', 0, { owner: 'DaemonSet/d' })],
      options: { newPodScaleUpDelay: seconds(10) },
      after: null,
    },
    {
      what: 'a young pod does not tell its age',
      pods: [waiting('a')],
      options: { newPodScaleUpDelay: seconds(10) },
      after: null,
    },
  ])('when $what: $after ms from now', ({ pods, options, after }) => {
    const input = scenario({ groups: [gpuGroup], pods, options });
    const next = oldEnoughAt(input, evaluate(input).scaleUp.result);
    expect(next).toBe(after === null ? null : NOW + after);
  });

  test('is when the decision is another one', () => {
    const input = scenario({ groups: [gpuGroup], pods: [gpu('a', 10_000)], options: buffers });
    const next = oldEnoughAt(input, evaluate(input).scaleUp.result)!;
    expect(evaluate({ ...input, now: epochMs(next - 1) }).scaleUp.result).toBe('Cooldown');
    expect(evaluate({ ...input, now: next }).scaleUp.result).toBe('ScaledUp');
  });
});
