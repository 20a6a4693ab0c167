import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../core/model/options.ts';
import { POD_SPEC } from '../../builders.ts';
import { DAEMON_CPU, UNIT_CPU } from '../node-sizes.ts';
import { POOL_LABEL, SIZE_LABEL } from '../pools.ts';
import type { Stage } from './invariant.ts';
import { watchOutgrown } from './outgrown.ts';

interface Told {
  /** Units of the pool's pods when the removal of the small node is decided. */
  readonly pods?: readonly number[];
  /** How long after the small node the large one was bought, in seconds; `null`: it was there before. */
  readonly laterBy?: number | null;
  /** Units of a node of the other group. */
  readonly large?: number;
  /** Had pods come when the large node was bought? */
  readonly risen?: boolean;
  /** Has another client deleted the group of the small node when its removal is decided? */
  readonly deleted?: boolean;
  /** How long before the purchase of the small node a pod was created that waited when the large one was bought, in seconds. */
  readonly waitedFor?: number;
}

/** The removal of a node of four units is decided; a node of eight was bought later, and another one of four was there before. */
function isOutgrown({
  pods = [4, 2, 1],
  laterBy = 60,
  large = 8,
  risen = true,
  deleted = false,
  waitedFor,
}: Told): boolean {
  const group = (name: string, units: number) => ({ name, allocatable: { cpu: units * UNIT_CPU + DAEMON_CPU } });
  const view = (name: string, units: number, ...ids: readonly string[]) => ({
    group: group(name, units),
    instances: ids.map((id) => ({ id, state: 'Running' })),
  });
  const pool = { name: 'red', units: 8, groups: ['small', 'large'] };
  const pod = (units: number, i: number) =>
    [
      `default/p-${i}`,
      {
        labels: { [SIZE_LABEL]: String(units) },
        deletedAt: null,
        controller: null,
        annotations: {},
        phase: 'Running',
        spec: { ...POD_SPEC, nodeSelector: { [POOL_LABEL]: 'red' } },
      },
    ] as const;
  const stage = {
    scenario: { options: defaultOptions(), pools: [pool] },
    world: {
      scaling: {
        groups: () => [...(deleted ? [] : [view('small', 4, 'i-small', 'i-old')]), view('large', large, 'i-large')],
      },
      api: { pods: new Map(pods.map(pod)) },
    },
  } as unknown as Stage;
  const bought = new Map([
    ['i-small', 1_000_000],
    ...(laterBy === null ? [] : [['i-large', 1_000_000 + laterBy * 1_000] as const]),
  ]);
  const podsThere = { at: (_: string, time: number) => (risen && time > 1_000_000 ? 5 : 3), most: () => 5 };
  const outgrown = watchOutgrown(stage, podsThere, new Map([['default/p', pool]]) as never, bought as never);
  if (waitedFor !== undefined) {
    const [, running] = pod(4, 0);
    const createdAt = 1_000_000 - waitedFor * 1_000;
    const waiting = { ...running, nodeName: null, unscheduled: { reason: 'Unschedulable' }, createdAt };
    const there = stage.world.api.pods as unknown as Map<string, unknown>;
    there.set('default/waits', waiting);
    outgrown.committed({ intents: [{ kind: 'SetSize', group: 'large', from: 0, to: 1 }] } as never);
    outgrown.event({ kind: 'InstanceLaunched', group: 'large', instance: 'i-large' } as never);
    there.delete('default/waits');
  }
  const removal = { kind: 'RemoveNodes', group: 'small', nodes: [{ node: 'n', instance: 'i-small', kind: 'empty' }] };
  outgrown.committed({ intents: [removal] } as never);
  return outgrown.isOutgrown('i-small' as never);
}

describe('a small node whose pods fit on a larger one that came later', () => {
  test('is outgrown where the others would not hold them', () => {
    expect(isOutgrown({})).toBe(true);
  });

  test('is outgrown where the larger one was bought for a pod that had waited all the time', () => {
    expect(isOutgrown({ risen: false, waitedFor: 10 })).toBe(true);
    expect(isOutgrown({ risen: false, waitedFor: -10 })).toBe(false);
  });

  test.each<readonly [string, Told]>([
    ['it was not needed without the larger one either', { pods: [2, 1] }],
    ['no pods had come in between', { risen: false }],
    ['the larger one was bought before, or was there', { laterBy: -60 }],
    ['it is not known when the larger one was bought', { laterBy: null }],
    ['the later one is no larger', { large: 4 }],
    ['its group has been deleted', { deleted: true }],
  ])('is not where %s', (_, told) => {
    expect(isOutgrown(told)).toBe(false);
  });
});
