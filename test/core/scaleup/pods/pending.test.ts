import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import { fit } from '../../../../core/fit.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { epochMs, seconds } from '../../../../core/model/values/time.ts';
import { oldEnoughAt } from '../../../../core/scaleup/pods/pending.ts';
import { pod, type PodOptions } from '../../../builders.ts';
import { group, NOW, scenario, times } from '../../../scenario-builders.ts';
import { cluster, waiting, runningOn, rows, growth, reasonOf } from './two-nodes.ts';

const createdAgo = (age: number): { readonly createdAt: Pod['createdAt'] } => ({ createdAt: epochMs(NOW - age) });

describe('schedulers', () => {
  const NEVER_SEEN = { unscheduled: null, spec: { schedulerName: 'batch' } } as const;

  test.each([
    ['has not been evaluated by the scheduler', { p: 'Fits' }, NEVER_SEEN],
    ['has a condition without a reason', { p: 'Fits' }, { ...NEVER_SEEN, unscheduled: { reason: '', since: null } }],
    ['is gated', {}, { ...NEVER_SEEN, unscheduled: { reason: 'SchedulingGated', since: null } }],
    [
      'is gated and has not been evaluated by the scheduler',
      {},
      { unscheduled: null, spec: { schedulerName: 'batch', schedulingGates: ['wait'] } },
    ],
    ['failed to be scheduled', {}, { ...NEVER_SEEN, unscheduled: { reason: 'SchedulerError', since: null } }],
    ['is another scheduler’s', {}, { unscheduled: null }],
    ['is being deleted', {}, { ...NEVER_SEEN, deletedAt: NOW }],
    ['has finished', {}, { ...NEVER_SEEN, phase: 'Failed' as const }],
  ])('of a bypassed scheduler a pod that %s: %j', (_, expected, given) => {
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
    { what: 'to an existing node fits there', nominatedNode: 'n1', expected: 'Fits' },
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

  test('one from the future, by an API server whose clock is ahead, is new: without a delay it waits for nothing', () => {
    const at = (delay: number) =>
      cluster({ pods: [waiting('p', createdAgo(-200_000))], options: { newPodScaleUpDelay: seconds(delay) } });
    expect([rows(evaluate(at(0))), oldEnoughAt(at(10), 'NotNeeded')]).toEqual([{ p: 'Fits' }, NOW + 10_000]);
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
    ['one of a second', tooYoung, [plain('a', 1_000)]],
    ['one of two seconds', null, [plain('a', 2_000)]],
    ['a new one beside an older one', null, [plain('a', 0), plain('b', 3_000)]],
    ['one that does not tell its age', null, [waiting('a'), plain('b', 0)]],
    ['one of 29 seconds that requests a GPU', gpuTooYoung, [gpu('a', 29_000)]],
    ['one of 30 seconds that requests a GPU', null, [gpu('a', 30_000)]],
    ['a new one beside an older one, both want GPUs', null, [gpu('a', 0), gpu('b', 31_000)]],
    ['an old one beside a new one that requests a GPU', gpuTooYoung, [plain('a', 60_000), gpu('b', 29_000)]],
  ])('%s: %j', (_, why, pods) => {
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

describe('the time of the next recheck', () => {
  const buffers = { unschedulablePodTimeBuffer: seconds(2), unschedulablePodWithGpuTimeBuffer: seconds(30) };
  const gpuGroup = group('g', { node: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 1 } });
  const gpu = (name: string, age: number): Pod => pod(name, { requests: { 'nvidia.com/gpu': 1 }, ...createdAgo(age) });
  const plain = (name: string, age: number, given: PodOptions = {}): Pod =>
    waiting(name, { ...createdAgo(age), ...given });
  const never = { unscheduled: null, spec: { schedulerName: 'batch' } } as const;

  test.each([
    ['nothing is too young', null, [plain('a', 5_000)], {}],
    ['all pods are new', 500, [plain('a', 500), plain('b', 1_500)], buffers],
    ['a pod that requests a GPU is new', 20_000, [gpu('a', 10_000), plain('b', 60_000)], buffers],
    [
      'pods are below the delay',
      6_000,
      [plain('a', 1_000), plain('b', 4_000), plain('c', 60_000)],
      { newPodScaleUpDelay: seconds(10) },
    ],
    [
      'pods of a bypassed scheduler are',
      9_000,
      [plain('a', 1_000, never)],
      { newPodScaleUpDelay: seconds(10), bypassedSchedulerNames: ['batch'] },
    ],
    [
      'a young pod is expendable or of a DaemonSet',
      null,
      [plain('a', 0, { spec: { priority: -11 } }), plain('b', 0, { owner: 'DaemonSet/d' })],
      { newPodScaleUpDelay: seconds(10) },
    ],
    ['a young pod does not tell its age', null, [waiting('a')], { newPodScaleUpDelay: seconds(10) }],
  ])('when %s: %j ms from now', (_, after, pods, options) => {
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
