import { describe, expect, test } from 'vitest';
import { POD_SPEC } from '../../builders.ts';
import { DAEMON_CPU, UNIT_CPU } from '../node-sizes.ts';
import { POOL_LABEL, SIZE_LABEL } from '../pools.ts';
import type { Stage } from './invariant.ts';
import { watchStrayed } from './strayed.ts';

interface Told {
  /** Units of the pod for which `new` is bought. */
  readonly waiting?: number;
  /** Units of the one that is put there, which are free on `open`, too, unless told otherwise. */
  readonly other?: number;
  readonly elsewhere?: number;
  /** Is `open` on its way out? */
  readonly goes?: boolean;
  /** Is the other pod spread, so that it may not go everywhere? */
  readonly spread?: boolean;
  /** Did the other pod wait, too, when `new` was bought? */
  readonly both?: boolean;
  /** Units of a pod that was there before. */
  readonly before?: number;
  /** Where the first pod is when more is bought. */
  readonly by?: 'waiting' | 'bound';
  readonly again?: 'red-1' | 'blue-1' | null;
}

/** A node of four units is bought for a pod, and another one is put there. */
function isTaken({
  waiting = 4,
  other = 1,
  elsewhere = 1,
  before = 0,
  by = 'waiting',
  again = 'red-1',
  ...told
}: Told) {
  const node = {
    labels: { [POOL_LABEL]: 'red' },
    allocatable: { cpu: 4 * UNIT_CPU + DAEMON_CPU },
    conditions: [{ type: 'Ready', status: 'True' }],
    taints: [],
  };
  const pod = (name: string, nodeName: string | null, units: number) => ({
    namespace: 'default',
    name,
    nodeName,
    deletedAt: null,
    labels: { [SIZE_LABEL]: String(units) },
    annotations: {},
    controller: null,
    unscheduled: nodeName === null ? { reason: 'Unschedulable' } : null,
    spec: {
      ...POD_SPEC,
      nodeSelector: { [POOL_LABEL]: 'red' },
      topologySpread: name === 'other' && told.spread === true ? [{}] : [],
    },
    phase: 'Running',
  });
  const pods = new Map<string, ReturnType<typeof pod>>();
  const put = (name: string, nodeName: string | null, units: number): unknown =>
    pods.set(`default/${name}`, pod(name, nodeName, units));
  const nodes = new Map<string, object>([
    ['new', { ...node, name: 'new' }],
    ['open', { ...node, name: 'open', unschedulable: told.goes === true }],
  ]);
  const pools = [
    { name: 'red', units: 4, groups: ['red-1'] },
    { name: 'blue', units: 4, groups: ['blue-1'] },
  ];
  const strayed = watchStrayed({ scenario: { pools }, world: { api: { nodes, pods } } } as unknown as Stage);
  const raise = (group: string): void =>
    strayed.committed({ intents: [{ kind: 'SetSize', group, from: 1, to: 2 }] } as never);

  put('filling', 'open', 4 - elsewhere);
  put('waits', null, waiting);
  if (told.both === true) {
    put('other', null, other);
  }
  raise('red-1');
  strayed.event({ kind: 'InstanceLaunched', group: 'red-1', instance: 'i-new' } as never);
  strayed.event({ kind: 'NodeRegistered', group: 'red-1', instance: 'i-new', node: 'new' } as never);
  put('before', 'new', before);
  put('other', 'new', other);
  strayed.event({ kind: 'PodBound', pod: 'default/other', node: 'new' } as never);
  put('waits', by === 'bound' ? 'third' : null, waiting);
  if (again !== null) {
    raise(again);
  }
  return strayed.isTaken('i-new' as never);
}

describe('the place of a pod for which a node was bought', () => {
  test('is taken by one that came later and had room on another node, once more is bought', () => {
    expect(isTaken({})).toBe(true);
    expect(isTaken({ again: null })).toBe(false);
    expect(isTaken({ again: 'blue-1' })).toBe(false);
  });

  test('is not where there is room beside it, or was none before it', () => {
    expect(isTaken({ waiting: 3 })).toBe(false);
    expect(isTaken({ before: 1 })).toBe(false);
    expect(isTaken({ waiting: 3, before: 1 })).toBe(true);
  });

  test.each([
    { why: 'had room nowhere else', told: { elsewhere: 0 } },
    { why: 'had room on a node that goes alone', told: { goes: true } },
    { why: 'is spread over nodes', told: { spread: true } },
    { why: 'waited for the node as well', told: { both: true } },
  ])('is not taken by one that $why', ({ told }) => {
    expect(isTaken(told)).toBe(false);
  });

  test('is not where the pod has come to a node', () => {
    expect(isTaken({ by: 'bound' })).toBe(false);
  });
});
