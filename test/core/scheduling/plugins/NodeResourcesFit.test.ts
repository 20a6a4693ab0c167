import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { type Amounts, container, node, pod, resources } from '../../../builders.ts';
import { rooms, verdicts } from '../fit.ts';

const reasons = (pending: Pod, amounts: Amounts, pods: readonly Pod[] = []): readonly string[] =>
  verdicts(pending, { nodes: [node('n', amounts)], pods })['n']?.reasons ?? [];

describe('an empty node of 2 cores, 1 GiB, 3 pods', () => {
  const amounts = { cpu: 2, memory: '1Gi', pods: 3 };
  it.each<[string, Amounts, readonly string[]]>([
    ['nothing', {}, []],
    ['exactly all', { cpu: 2, memory: '1Gi' }, []],
    ['a milli more', { cpu: '2001m' }, ['Insufficient cpu']],
    ['less than a milli more', { cpu: '2.0000001' }, ['Insufficient cpu']],
    ['a byte more', { memory: 2 ** 30 + 1 }, ['Insufficient memory']],
    ['a fraction of a byte more', { memory: '1073741824001m' }, ['Insufficient memory']],
    ['both too much', { cpu: 3, memory: '2Gi' }, ['Insufficient cpu', 'Insufficient memory']],
    ['a device that is not there', { 'nvidia.com/gpu': 1 }, ['Insufficient nvidia.com/gpu']],
    ['zero of a device that is not there', { 'nvidia.com/gpu': 0 }, []],
    ['pages that are not there', { 'hugepages-2Mi': '2Mi' }, ['Insufficient hugepages-2Mi']],
    ['storage that is not there', { 'ephemeral-storage': 1 }, ['Insufficient ephemeral-storage']],
  ])('takes a pod that asks for %s: %j → %j', (_, requests, expected) => {
    expect(reasons(pod('p', { requests }), amounts)).toEqual(expected);
  });
});

describe('what is on the node', () => {
  it('counts, also bound pods that are still Pending and terminating ones', () => {
    const pods = [
      pod('a', { requests: { cpu: 1 }, node: 'n' }),
      pod('b', { requests: { cpu: 1 }, node: 'n', phase: 'Pending' }),
      pod('c', { requests: { cpu: 1 }, node: 'n', deletedAt: 1 as never }),
    ];
    expect(reasons(pod('p', { requests: { cpu: 1 } }), { cpu: 4 }, pods)).toEqual([]);
    expect(reasons(pod('p', { requests: { cpu: '1001m' } }), { cpu: 4 }, pods)).toEqual(['Insufficient cpu']);
  });

  it('does not count once it has finished', () => {
    const pods = [
      pod('a', { requests: { cpu: 4 }, node: 'n', phase: 'Succeeded' }),
      pod('b', { requests: { cpu: 4 }, node: 'n', phase: 'Failed' }),
    ];
    expect(reasons(pod('p', { requests: { cpu: 4 } }), { cpu: 4 }, pods)).toEqual([]);
  });

  it('counts a pod where it is nominated', () => {
    const pods = [pod('a', { requests: { cpu: 3 }, nominatedNode: 'n' })];
    expect(reasons(pod('p', { requests: { cpu: 2 } }), { cpu: 4 }, pods)).toEqual(['Insufficient cpu']);
  });

  it('takes places: a pod that asks for nothing needs one', () => {
    const pods = [pod('a', { node: 'n' }), pod('b', { node: 'n' })];
    expect(reasons(pod('p'), { pods: 2 }, pods)).toEqual(['Too many pods']);
    expect(reasons(pod('p', { requests: { cpu: 1 } }), { pods: 2 }, pods)).toEqual([
      'Too many pods',
      'Insufficient cpu',
    ]);
  });

  it('may be more than the node has', () => {
    const pods = [pod('a', { requests: { cpu: 8, 'nvidia.com/gpu': 1 }, node: 'n' })];
    expect(reasons(pod('p', { requests: { memory: 1 } }), { cpu: 4, memory: 1 }, pods)).toEqual([]);
    expect(reasons(pod('p', { requests: { cpu: '1m' } }), { cpu: 4 }, pods)).toEqual(['Insufficient cpu']);
  });
});

describe('a pod is counted for', () => {
  /** Whether the pod needs exactly this amount, and not a milli less. */
  const needs = (spec: Partial<Pod['spec']>, amount: string): boolean => {
    const less = `${Number.parseInt(amount, 10) - 1}m`;
    const pending = pod('p', { spec });
    return reasons(pending, { cpu: amount }).length === 0 && reasons(pending, { cpu: less }).length === 1;
  };
  const cpu = (amount: string, restartable = false) => container({ cpu: amount }, { restartable });

  it.each<[string, Partial<Pod['spec']>, string]>([
    ['its containers together', { containers: [cpu('300m'), cpu('200m')] }, '500m'],
    [
      'its largest init container, if that is more',
      { containers: [cpu('300m')], initContainers: [cpu('900m'), cpu('100m')] },
      '900m',
    ],
    ['its containers, if those are more', { containers: [cpu('800m')], initContainers: [cpu('700m')] }, '800m'],
    [
      'containers and sidecars',
      { containers: [cpu('300m')], initContainers: [cpu('100m', true), cpu('50m', true)] },
      '450m',
    ],
    [
      'an init container with the sidecars before it',
      { containers: [cpu('100m')], initContainers: [cpu('200m', true), cpu('600m')] },
      '800m',
    ],
    ['not those after it', { containers: [cpu('100m')], initContainers: [cpu('600m'), cpu('200m', true)] }, '600m'],
    ['overhead on top', { containers: [cpu('300m')], overhead: resources({ cpu: '50m' }) }, '350m'],
    ['pod-level figures instead', { containers: [cpu('300m')], podRequests: resources({ cpu: '400m' }) }, '400m'],
    [
      'pod-level figures and overhead',
      { containers: [cpu('300m')], podRequests: resources({ cpu: '400m' }), overhead: resources({ cpu: '50m' }) },
      '450m',
    ],
    ['the sum rounded up once', { containers: [cpu('100500u'), cpu('100500u')] }, '201m'],
  ])('%s', (_, spec, amount) => {
    expect(needs(spec, amount)).toBe(true);
  });

  it('not for pod-level figures of what cannot be asked for at that level', () => {
    const spec = { containers: [container({})], podRequests: resources({ 'nvidia.com/gpu': 1 }) };
    expect(reasons(pod('p', { spec }), {})).toEqual([]);
  });
});

describe('a running pod that was resized counts for', () => {
  const free = (resize: Pod['resize'], initContainers: Pod['spec']['initContainers'] = []): number => {
    const pods = [pod('a', { node: 'n', resize, spec: { containers: [container({ cpu: '500m' })], initContainers } })];
    return rooms(pod('p', { requests: { cpu: '100m' } }), { nodes: [node('n', { cpu: 2 })], pods }).room;
  };
  const status = (allocated: string | null, actual: string | null, infeasible = false) => ({
    containers: [
      {
        name: 'main',
        allocated: allocated === null ? null : resources({ cpu: allocated }),
        actual: actual === null ? null : resources({ cpu: actual }),
      },
    ],
    allocated: null,
    actual: null,
    infeasible,
  });

  it.each([
    ['its spec, if that is the largest', status('100m', '200m'), 15],
    ['what was allocated', status('900m', '200m'), 11],
    ['what it uses', status('100m', '800m'), 12],
    ['its spec while nothing is reported', status('900m', null), 15],
    ['the larger of the others when the resize is refused', status('100m', '200m', true), 18],
    ['what it uses when nothing is allocated', status(null, '900m'), 11],
    ['its spec without any status', null, 15],
  ])('%s', (_, resize, rest) => {
    expect(free(resize)).toBe(rest);
  });

  const podStatus = (allocated: string, actual: string | null, infeasible = false) => ({
    ...status('100m', '100m', infeasible),
    allocated: resources({ cpu: allocated }),
    actual: actual === null ? null : resources({ cpu: actual }),
  });

  it.each([
    ['its spec, if that is the largest', podStatus('200m', '300m'), 15],
    ['what was allocated', podStatus('900m', '200m'), 11],
    ['what it uses', podStatus('200m', '800m'), 12],
    ['its spec while nothing is reported', podStatus('900m', null), 15],
    ['the larger of the others when the resize is refused', podStatus('100m', '200m', true), 18],
  ])('%s, as its pod-level figures say', (_, resize, rest) => {
    const spec = { containers: [container({ cpu: '100m' })], podRequests: resources({ cpu: '500m' }) };
    const pods = [pod('a', { node: 'n', resize, spec })];
    expect(rooms(pod('p', { requests: { cpu: '100m' } }), { nodes: [node('n', { cpu: 2 })], pods }).room).toBe(rest);
  });

  it('not more for an init container, which is done', () => {
    const resize = {
      ...status('100m', '100m'),
      containers: [{ name: 'init', allocated: null, actual: resources({ cpu: 1 }) }],
    };
    expect(free(resize, [container({ cpu: '200m' }, { name: 'init' })])).toBe(15);
  });

  it('its spec alone while it waits', () => {
    const pending = pod('p', { resize: status('1', '1'), spec: { containers: [container({ cpu: '500m' })] } });
    expect(reasons(pending, { cpu: '500m' })).toEqual([]);
  });
});

it.each<[Amounts, Amounts, number]>([
  [{ cpu: '300m' }, { cpu: 1 }, 3],
  [{ cpu: '300m', memory: '600Mi' }, { cpu: 1, memory: '1Gi' }, 1],
  [{}, { pods: 7 }, 7],
  [{ cpu: 1 }, { cpu: '900m' }, 0],
])('room for %j on %j: %i', (requests, amounts, room) => {
  expect(rooms(pod('p', { requests }), { nodes: [node('n', amounts)] })).toEqual({ room, placed: room });
});
