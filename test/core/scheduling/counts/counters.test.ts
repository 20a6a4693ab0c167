import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Snapshot } from '../../../../core/model/snapshot/snapshot.ts';
import { CountTable } from '../../../../core/scheduling/counts/count-table.ts';
import { node, pod } from '../../../builders.ts';
import { type Seen, type Counts, counting } from './counting.ts';

const WEB = pod('web', { labels: { app: 'web' } });
const DB = pod('db', { labels: { app: 'db' } });
const ZONES = ['a', 'b', 'c', undefined] as const;

/** Counts by going over everything, as the counters must not. */
function naive(snapshot: Snapshot): Counts {
  const counts = new Map<string, number>();
  let total = 0;
  let inZones = 0;
  const infos = snapshot.nodes.filter((info) => info !== null);
  for (const { node: of, pods } of infos) {
    const here = pods.get(snapshot.kindOf(WEB)) ?? 0;
    const { zone, disk } = of.labels;
    total += here;
    inZones += zone === undefined ? 0 : here;
    if (zone !== undefined && disk === 'ssd') {
      counts.set(zone, (counts.get(zone) ?? 0) + here);
    }
  }
  const nodes = infos.map(({ name, node: of }): [string, Seen] => {
    const { zone } = of.labels;
    const others = [...counts].filter(([other]) => other !== zone).map(([, count]) => count);
    return [
      name,
      zone === undefined
        ? { inZone: false, count: 0, others: 0 }
        : { inZone: true, count: counts.get(zone) ?? 0, others: counts.has(zone) ? Math.min(...others) : 0 },
    ];
  });
  return {
    total,
    inZones,
    zones: counts.size,
    min: counts.size === 0 ? 0 : Math.min(...counts.values()),
    nodes: Object.fromEntries(nodes),
  };
}

type Step =
  | { readonly op: 'add'; readonly zone: (typeof ZONES)[number]; readonly ssd: boolean }
  | { readonly op: 'place' | 'take'; readonly at: number; readonly web: boolean; readonly count: number }
  | { readonly op: 'drop'; readonly at: number }
  | { readonly op: 'fork' | 'revert' | 'commit' };

const at = fc.nat({ max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('add' as const), zone: fc.constantFrom(...ZONES), ssd: fc.boolean() }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('place' as const),
      at,
      web: fc.boolean(),
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('take' as const), at, web: fc.boolean(), count: fc.constant(1) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('drop' as const), at }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constantFrom('fork' as const, 'revert' as const, 'commit' as const) }) },
);

function run(snapshot: Snapshot, prefix: string, steps: readonly Step[], after: () => void): void {
  let forks = 0;
  let made = 0;
  for (const each of steps) {
    const nodes = snapshot.nodes.filter((info) => info !== null);
    const info = 'at' in each && nodes.length > 0 ? nodes[each.at % nodes.length]! : null;
    switch (each.op) {
      case 'add':
        snapshot.addNode(
          node(
            `${prefix}${made++}`,
            {},
            { labels: { disk: each.ssd ? 'ssd' : 'hdd', ...(each.zone && { zone: each.zone }) } },
          ),
          null,
        );
        break;
      case 'place':
        if (info !== null) {
          snapshot.place(snapshot.kindOf(each.web ? WEB : DB), info, each.count);
        }
        break;
      case 'take': {
        const kind = snapshot.kindOf(each.web ? WEB : DB);
        if (info?.pods.has(kind) === true) {
          snapshot.remove(kind, info);
        }
        break;
      }
      case 'drop':
        if (info !== null) {
          snapshot.removeNode(info);
        }
        break;
      case 'fork':
        snapshot.fork();
        forks++;
        break;
      case 'revert':
      case 'commit':
        if (forks > 0) {
          snapshot[each.op]();
          forks--;
        }
        break;
    }
    after();
  }
}

describe('counters', () => {
  it('say at any time what counting everything again would say', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.array(step, { maxLength: 40 }), (before, after) => {
        const snapshot = new Snapshot({ keys: ['app'] });
        const table = new CountTable(snapshot);
        run(snapshot, 'old', before, () => undefined);
        // Made when there is something already, and asked after every change.
        const { counts } = counting(table, snapshot);
        expect(counts()).toEqual(naive(snapshot));
        run(snapshot, 'new', after, () => expect(counts()).toEqual(naive(snapshot)));
      }),
      { numRuns: 300 },
    );
  });
});
