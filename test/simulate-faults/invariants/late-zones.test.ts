import { describe, expect, test } from 'vitest';
import { ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { POOL_LABEL } from '../pools.ts';
import type { Stage } from './invariant.ts';
import { watchLateZones } from './late-zones.ts';
import { skewedPod, skewedPool } from './skewed-pool.ts';

interface Told {
  /** In the other zone, the one that comes among them. */
  readonly pods?: number;
  readonly maxSkew?: number | null;
  /** The zones that have nodes. */
  readonly zones?: readonly string[];
  readonly at?: number;
  /** The pool of the pod that comes. */
  readonly of?: string;
}

/** Pods come to zone b; nodes of zone a that were bought at ten are removed: how many of them is there a reason for? */
function taken({ pods = 3, maxSkew = 2, zones = ['b'], at = 11, of = 'red' }: Told): number {
  const all = [...Array.from({ length: pods - 1 }, () => skewedPod('node-b')), skewedPod('node-b', of)];
  const late = watchLateZones({
    scenario: {
      pools: [skewedPool(maxSkew)],
    },
    world: {
      scaling: { groups: () => ['a', 'b'].map((zone) => ({ group: { name: `red-${zone}`, zones: [zone] } })) },
      api: {
        nodes: new Map(
          zones.map((zone) => [
            `node-${zone}`,
            { name: `node-${zone}`, labels: { [POOL_LABEL]: 'red', [ZONE_LABEL]: zone } },
          ]),
        ),
        pods: new Map(all.map((one, i) => [`pod-${i + 1}`, one])),
      },
    },
  } as unknown as Stage);
  late.event({ kind: 'PodBound', pod: `pod-${pods}`, node: 'node-b', at } as never);
  expect(late.take('red-b' as never, 10)).toBe(false);
  return [1, 2].filter(() => late.take('red-a' as never, 10)).length;
}

describe('nodes of a zone that had none when pods came to another one', () => {
  test.each<[string, Told, number]>([
    ['one for the pod that could not have come otherwise', {}, 1],
    ['none for one that could', { pods: 2 }, 0],
    ['none where the zone had a node', { zones: ['a', 'b'] }, 0],
    ['none for one that came before they were bought', { at: 9 }, 0],
    ['none for a pod of another pool', { of: 'blue' }, 0],
    ['none where pods are not spread', { maxSkew: null }, 0],
  ])('%s %#', (_, told, expected) => {
    expect(taken(told)).toBe(expected);
  });
});
