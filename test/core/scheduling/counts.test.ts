import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Labels } from '../../../core/model/cluster/selectors.ts';
import { selectorKeys } from '../../../core/model/snapshot/pod-kind.ts';
import { Snapshot } from '../../../core/model/snapshot/snapshot.ts';
import { CountTable } from '../../../core/scheduling/counts/count-table.ts';
import { DomainCounter, SpreadCounter, TotalCounter } from '../../../core/scheduling/counts/counters.ts';
import { NO_DOMAIN } from '../../../core/scheduling/counts/topology.ts';
import { node, pod } from '../../builders.ts';

const WEB = pod('web', { labels: { app: 'web' } });
const DB = pod('db', { labels: { app: 'db' } });
const ZONES = ['a', 'b', 'c', undefined] as const;

/** What the counters say of a node. */
interface Seen {
  readonly inZone: boolean;
  /** Of the spread: pods in its zone, and the fewest of any other zone. */
  readonly count: number;
  readonly others: number;
}

interface Counts {
  readonly total: number;
  readonly inZones: number;
  readonly zones: number;
  readonly min: number;
  readonly nodes: Readonly<Record<string, Seen>>;
}

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

/** The counters, and what they say. */
function counting(table: CountTable, snapshot: Snapshot) {
  const zone = table.topology('zone');
  const nodes = table.nodeSet('ssd', ({ labels }) => labels['disk'] === 'ssd');
  const web = () => ({ matches: ({ labels }: { labels: Labels }) => labels['app'] === 'web', namespaces: null });
  const spread = table.counter('spread', () => new SpreadCounter(zone, nodes), web);
  const total = table.counter('total', () => new TotalCounter(), web);
  const domains = table.counter('domains', () => new DomainCounter(zone), web);
  const counts = (): Counts => ({
    total: total.total,
    inZones: domains.total,
    zones: spread.domains.size,
    min: spread.min,
    nodes: Object.fromEntries(
      snapshot.nodes
        .filter((info) => info !== null)
        .map(({ name, index }): [string, Seen] => {
          const domain = zone.domainOf[index]!;
          const live = domain !== NO_DOMAIN && spread.domains.nodes[domain]! > 0;
          return [
            name,
            {
              inZone: domain !== NO_DOMAIN,
              count: domain === NO_DOMAIN ? 0 : spread.counts[domain]!,
              others: live ? spread.minOfOthers(domain) : 0,
            },
          ];
        }),
    ),
  });
  return { spread, counts };
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

  it('are shared by all that count the same', () => {
    const snapshot = new Snapshot({ keys: ['app'] });
    const table = new CountTable(snapshot);
    expect(counting(table, snapshot).spread).toBe(counting(table, snapshot).spread);
  });
});

describe('the work of keeping counts', () => {
  const KINDS = 8;
  const TERMS = 64;

  /** This many pods of eight kinds come to one node, counted by the terms of half of the kinds, and leave again. */
  function work(pods: number, terms: number): { readonly matches: number; readonly adds: number } {
    let matches = 0;
    let adds = 0;
    const snapshot = new Snapshot(selectorKeys([]));
    const table = new CountTable(snapshot);
    const info = snapshot.addNode(node('n'), null);
    const kinds = Array.from({ length: KINDS }, (_, i) =>
      snapshot.kindOf(pod(`p${i}`, { namespace: i % 2 === 0 ? 'even' : 'odd', requests: { cpu: i + 1 } })),
    );
    for (let i = 0; i < terms; i++) {
      table.counter(
        `term ${i}`,
        () => ({ add: () => (adds += 1) }),
        () => ({ matches: () => (matches += 1) > 0, namespaces: new Set(['even']) }),
      );
    }
    for (let i = 0; i < pods; i++) {
      snapshot.place(kinds[i % KINDS]!, info);
    }
    for (let i = 0; i < pods; i++) {
      snapshot.remove(kinds[i % KINDS]!, info);
    }
    return { matches, adds };
  }

  it.each([
    [1, 80],
    [10, 80],
    [1, 8_000],
  ])('grows with the terms, times %i, and the pods that these count, %i', (factor, pods) => {
    const terms = factor * TERMS;
    // A term is compared with each kind of its namespace once, however many pods there are of it; those of others cost nothing.
    expect(work(pods, terms)).toEqual({ matches: (KINDS / 2) * terms, adds: pods * terms });
  });
});
