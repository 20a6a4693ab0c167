import type { GroupName } from '../../model/values/names.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import { sortedBy, sortedRecord } from '../../model/values/sorted.ts';
import type { ReservedPacking, State } from '../../model/state.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';
import type { NodeContents } from './place-on-existing-nodes.ts';
import { kindFinder } from './kind-finder.ts';

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

/** How the reservations are found again: nothing for groups without any. */
export function packingAfter(
  contents: NodeContents,
  snapshot: Snapshot,
  placements: readonly Placement[],
): State['reservedPacking'] {
  const after: [GroupName, ReservedPacking][] = [];
  for (const group of new Set(placements.map(({ info }) => info.group))) {
    const nodes = group === null ? [] : (contents.get(group) ?? []);
    if (group !== null && nodes.length > 0) {
      const places = nodes.map((loads) =>
        sortedBy(
          loads.map(({ kind, count }) => ({ kind: snapshot.kinds.fingerprint(kind), count })),
          ({ kind }) => kind,
        ),
      );
      after.push([group, { nodes: places.filter((loads) => loads.length > 0) }]);
    }
  }
  return sortedRecord(after);
}
