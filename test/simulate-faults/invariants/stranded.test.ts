import { describe, expect, test } from 'vitest';
import { ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { POOL_LABEL } from '../pools.ts';
import type { Stage } from './invariant.ts';
import { skewedPod, skewedPool } from './skewed-pool.ts';
import { watchStranded } from './stranded.ts';

interface Told {
  /** Pods in the zone of the node that is removed; the other zone has one. */
  readonly pods?: number;
  readonly waiting?: number;
  /** How far the numbers of pods of the zones may be apart; absent: as far as they like. */
  readonly maxSkew?: number | null;
  /** What happens, when, and in which group. */
  readonly missed?: string;
  readonly at?: number;
  readonly group?: string;
}

/** A node of `red-a` is bought at ten, and its removal is decided later. */
function isStranded({
  pods = 2,
  waiting = 1,
  maxSkew = 1,
  missed = 'LaunchFailed',
  at = 11,
  group = 'red-b',
}: Told): boolean {
  const node = (name: string, zone: string) => ({ name, labels: { [POOL_LABEL]: 'red', [ZONE_LABEL]: zone } });
  const all = [
    ...Array.from({ length: pods }, () => skewedPod('node-a')),
    skewedPod('node-b'),
    ...Array.from({ length: waiting }, () => skewedPod(null)),
  ];
  const groups = ['red-a', 'red-b'].map((name) => ({ group: { name, zones: [name.slice(-1)] } }));
  const stranded = watchStranded({
    scenario: {
      pools: [skewedPool(maxSkew)],
    },
    world: {
      clock: { now: () => at },
      scaling: { groups: () => groups },
      api: {
        nodes: new Map(['a', 'b'].map((zone) => [`node-${zone}`, node(`node-${zone}`, zone)])),
        pods: new Map(all.map((one, i) => [i, one])),
      },
    },
  } as unknown as Stage);
  stranded.event({ kind: missed, group, node: null } as never);
  stranded.committed({ intents: [{ kind: 'RemoveNodes', group: 'red-a', nodes: [{ instance: 'i-a' }] }] } as never);
  return stranded.isStranded('i-a' as never, 10);
}

describe('a node in a zone that takes no more pods', () => {
  test.each<[string, Told, boolean]>([
    ['since a launch in another zone has failed', {}, true],
    ['since an instance of another zone was given up', { missed: 'InstanceTerminated' }, true],
    ['though everything came', { missed: 'InstanceLaunched' }, false],
    ['since a launch in its own zone has failed', { group: 'red-a' }, false],
    ['since a launch had failed before it was bought', { at: 9 }, false],
    ['but takes one more', { pods: 1 }, false],
    ['but none waits', { waiting: 0 }, false],
    ['but the pods are not spread', { maxSkew: null }, false],
  ])('%s: stranded %#', (_, told, expected) => {
    expect(isStranded(told)).toBe(expected);
  });
});
