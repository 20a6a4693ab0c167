import type { GroupName } from '../../model/values/names.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import { sortedBy, sortedRecord } from '../../model/values/sorted.ts';
import type { ReservedPacking, State } from '../../model/state.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';
import { upcomingName } from '../../nodegroups/upcoming.ts';
import type { NodeContents } from './place-on-existing-nodes.ts';
import { kindFinder } from './kind-finder.ts';

/** The nodes that a plan buys, as later evaluations must know them to find the reserved places again. */
export interface PlannedPlaces {
  /** The pods that each node of a group is to hold, where packing would not find the places again. */
  readonly contents: NodeContents;
  /** The groups of the nodes that are added beyond the plan. */
  readonly extra: readonly GroupName[];
}

/** The pods that each node of a group is to hold, from the state. */
export function rememberedContents(
  { reservedPacking }: State,
  snapshot: Snapshot,
  demands: readonly Demand[],
): NodeContents {
  const groups = (Object.entries(reservedPacking) as [GroupName, ReservedPacking][]).filter(
    ([, { nodes }]) => nodes.length > 0,
  );
  if (groups.length === 0) {
    return new Map();
  }
  const find = kindFinder(
    snapshot,
    demands,
    groups.flatMap(([, { nodes }]) => nodes.flat()),
  );
  return new Map(groups.map(([group, { nodes }]) => [group, nodes.map((contents) => contents.flatMap(find))]));
}

/** The upcoming nodes that have not registered, group by group in their order. */
export function emptyUpcoming(snapshot: Snapshot, { groups }: Registry): readonly NodeInfo[] {
  return [...groups.values()].flatMap(({ group, upcoming }) =>
    Array.from({ length: upcoming }, (_, i) => snapshot.byName(upcomingName(group, i))).filter(
      (info) => info !== undefined,
    ),
  );
}

/** The upcoming nodes that were added beyond a plan: the last of each group, since the first ones are packed first. */
export function spareOf(upcoming: readonly NodeInfo[], { reservedPacking }: State): ReadonlySet<NodeInfo> {
  const spare = new Set<NodeInfo>();
  for (const [group, { spare: count }] of Object.entries(reservedPacking)) {
    if (count > 0) {
      for (const info of upcoming.filter((one) => one.group === group).slice(-count)) {
        spare.add(info);
      }
    }
  }
  return spare;
}

/** How the reservations are found again: nothing for groups without any. */
export function packingAfter(
  before: NodeContents,
  snapshot: Snapshot,
  planned: PlannedPlaces | null,
  spare: ReadonlySet<NodeInfo>,
  placements: readonly Placement[],
): State['reservedPacking'] {
  const after: [GroupName, ReservedPacking][] = [];
  for (const group of new Set(placements.map(({ info }) => info.group))) {
    if (group !== null) {
      const nodes = (planned?.contents ?? before).get(group) ?? [];
      const count =
        [...spare].filter((info) => info.group === group).length +
        (planned?.extra.filter((one) => one === group).length ?? 0);
      if (nodes.length > 0 || count > 0) {
        const contents = nodes
          .map((loads) =>
            sortedBy(
              loads.map(({ kind, count: pods }) => ({ kind: snapshot.kinds.fingerprint(kind), count: pods })),
              ({ kind }) => kind,
            ),
          )
          .filter((loads) => loads.length > 0);
        after.push([group, { nodes: contents, spare: count }]);
      }
    }
  }
  return sortedRecord(after);
}
