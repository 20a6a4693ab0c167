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
