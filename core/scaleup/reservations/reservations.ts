import { addCount, mapAt } from '../../model/values/counts.ts';
import type { GroupName } from '../../model/values/names.ts';
import { sortedBy, sortedRecord } from '../../model/values/sorted.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import type { State } from '../../model/state.ts';
import { type Demand, podsByKind } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';
import { kindFinder } from './kind-finder.ts';

/** The number of pods of each kind that have a place in a group, by group. */
export type Reservations = ReadonlyMap<GroupName, ReadonlyMap<PodKind, number>>;

/** Finds the kinds again that the state speaks of. Reservations for pods that are no longer pending are dropped. */
export function reservationsOf(state: State, snapshot: Snapshot, demands: readonly Demand[]): Reservations {
  const groups = Object.entries(state.reservations) as [GroupName, State['reservations'][GroupName]][];
  if (groups.length === 0) {
    return new Map();
  }
  const find = kindFinder(
    snapshot,
    demands,
    groups.flatMap(([, reserved]) => reserved),
  );
  return new Map(
    sortedBy(groups, ([group]) => group).map(([group, reserved]) => [group, podsByKind(reserved.flatMap(find))]),
  );
}

/** The reservations that these places come to, in the order in which groups and kinds are first seen. */
export function reservationsIn(placements: readonly Placement[]): Reservations {
  const groups = new Map<GroupName, Map<PodKind, number>>();
  for (const { kind, info, count } of placements) {
    if (info.group !== null) {
      addCount(mapAt(groups, info.group), kind, count);
    }
  }
  return groups;
}

/** The reservations to remember: the places that this evaluation found, or adds nodes for. */
export const reservedBy = (snapshot: Snapshot, placements: readonly Placement[]): State['reservations'] =>
  sortedRecord(
    [...reservationsIn(placements)].map(([group, reserved]) => {
      const places = [...reserved].map(([kind, count]) => ({ kind: snapshot.kinds.fingerprint(kind), count }));
      return [group, sortedBy(places, ({ kind }) => kind)] as const;
    }),
  );
