import type { Labels } from '../../../../core/model/cluster/selectors.ts';
import type { Snapshot } from '../../../../core/model/snapshot/snapshot.ts';
import type { CountTable } from '../../../../core/scheduling/counts/count-table.ts';
import { DomainCounter, SpreadCounter, TotalCounter } from '../../../../core/scheduling/counts/counters.ts';
import { NO_DOMAIN } from '../../../../core/scheduling/counts/topology.ts';

/** The counters' view of a node. */
export interface Seen {
  readonly inZone: boolean;
  /** Pods in its zone, and the fewest of any other zone, by the spread. */
  readonly count: number;
  readonly others: number;
}

export interface Counts {
  readonly total: number;
  readonly inZones: number;
  readonly zones: number;
  readonly min: number;
  readonly nodes: Readonly<Record<string, Seen>>;
}

/** The counters, and what they say. */
export function counting(table: CountTable, snapshot: Snapshot) {
  const zone = table.topology('zone');
  const nodes = table.nodeSet('ssd', ({ labels }) => labels['disk'] === 'ssd');
  const web = () => ({
    matches: ({ labels }: { labels: Labels }) => labels['app'] === 'web',
    namespaces: null,
    required: null,
  });
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
