import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../../core/model/cluster/pod.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { POD_SPEC } from '../../builders.ts';
import { DAEMON_CPU, UNIT_CPU } from '../node-sizes.ts';
import { POOL_LABEL, SIZE_LABEL } from '../pools.ts';
import type { Stage } from './invariant.ts';
import { watchPlacesTaken } from './places-taken.ts';

/** A pod of so many units on a node. */
const pod = (nodeName: string, units: number, spec: Partial<PodSpec> = {}) =>
  ({
    nodeName,
    deletedAt: null,
    labels: { [SIZE_LABEL]: String(units) },
    annotations: {},
    controller: null,
    spec: { ...POD_SPEC, ...spec },
    phase: 'Running',
  }) as const;

interface Told {
  /** Units of the pod on `old`, which waits for its replacement. */
  readonly moving: number;
  /** Units of another pod there, for which there is no other room than `elsewhere`. */
  readonly with?: number;
  /** Units that a third node, of four, has left. */
  readonly elsewhere?: number;
  /** Is the third node on its way out? */
  readonly goes?: boolean;
  /** Units of the pod that another workload has on `new`. */
  readonly other: number;
  readonly bought?: number;
  /** Is nothing bought for the other pod? */
  readonly expendable?: boolean;
  readonly preempts?: boolean;
  /** Does `old` still wait when the removal of `new` is decided? */
  readonly waits?: boolean;
  /** Is another node bought for `old` while the other pod is there? */
  readonly again?: boolean;
}

/** A node of four units is bought for the pod of another one, and its removal is decided later. */
function isTaken({ moving, other, expendable = false, preempts = true, bought = 1, ...told }: Told): boolean {
  let disruptions = [{ nodes: ['old'], replacement: 'red-1' }];
  const node = {
    labels: { [POOL_LABEL]: 'red' },
    allocatable: { cpu: 4 * UNIT_CPU + DAEMON_CPU },
    conditions: [{ type: 'Ready', status: 'True' }],
    taints: [],
  };
  const third = { ...node, name: 'third', unschedulable: told.goes === true };
  const pods = [
    pod('old', moving, { preemptionPolicy: preempts ? 'PreemptLowerPriority' : 'Never' }),
    ...(other > 0 ? [pod('new', other, { priority: expendable ? -100 : 0 })] : []),
    ...(told.with === undefined ? [] : [pod('old', told.with)]),
    pod('third', 4 - (told.elsewhere ?? 0)),
  ];
  const places = watchPlacesTaken({
    scenario: { options: defaultOptions(), pools: [{ name: 'red', units: 4, groups: ['red-1'] }] },
    world: {
      api: {
        nodes: new Map<string, object>([
          ['new', { ...node, name: 'new' }],
          ['third', third],
        ]),
        pods: new Map(pods.map((one, i) => [i, one])),
      },
    },
    remembered: () => ({ state: { disruptions } }),
  } as unknown as Stage);
  const commit = (intent: object): void => places.committed({ intents: [intent] } as never);
  commit({ kind: 'SetSize', group: 'red-1', from: 1, to: 1 + bought });
  places.event({ kind: 'InstanceLaunched', group: 'red-1', instance: 'i-new' } as never);
  places.event({ kind: 'NodeRegistered', group: 'red-1', instance: 'i-new', node: 'new' } as never);
  if (told.again === true) {
    commit({ kind: 'SetSize', group: 'red-1', from: 2, to: 3 });
  }
  disruptions = told.waits === false ? [] : disruptions;
  commit({ kind: 'RemoveNodes', group: 'red-1', nodes: [{ node: 'new', instance: 'i-new', kind: 'drain' }] });
  return places.isTaken('i-new' as never);
}

describe('the place of a pod for which a node was bought', () => {
  test('is taken where another pod leaves it no room there', () => {
    expect(isTaken({ moving: 4, other: 1 })).toBe(true);
  });

  test('is not where there is room beside the other pod, or none has come', () => {
    expect(isTaken({ moving: 3, other: 1 })).toBe(false);
    expect(isTaken({ moving: 4, other: 0 })).toBe(false);
  });

  test('is where only a smaller one has room, and the larger one has none anywhere', () => {
    expect(isTaken({ moving: 4, with: 1, other: 2, elsewhere: 1 })).toBe(true);
    // Both still have places: one here, one there.
    expect(isTaken({ moving: 2, with: 1, other: 2, elsewhere: 1 })).toBe(false);
    expect(isTaken({ moving: 4, with: 1, other: 2, elsewhere: 4 })).toBe(false);
    // They would not have had places without the other pod either.
    expect(isTaken({ moving: 4, with: 1, other: 2 })).toBe(false);
    expect(isTaken({ moving: 4, with: 1, other: 2, elsewhere: 1, goes: true })).toBe(false);
  });

  test('is by a pod for which nothing is bought, if it is not preempted', () => {
    expect(isTaken({ moving: 4, other: 1, expendable: true })).toBe(false);
    expect(isTaken({ moving: 4, other: 1, expendable: true, preempts: false })).toBe(true);
  });

  test('was where another node has been bought for the pod since, which waits no more', () => {
    expect(isTaken({ moving: 4, other: 1, waits: false, again: true })).toBe(true);
    expect(isTaken({ moving: 3, other: 1, waits: false, again: true })).toBe(false);
  });

  test('is not where the pod waits for it no more, or the node may be for a pod that waits', () => {
    expect(isTaken({ moving: 4, other: 1, waits: false })).toBe(false);
    expect(isTaken({ moving: 4, other: 1, bought: 2 })).toBe(false);
  });
});
