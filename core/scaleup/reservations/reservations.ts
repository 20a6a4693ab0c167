import type { GroupName } from '../../model/names.ts';
import { sortedBy, sortedRecord } from '../../model/sorted.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import type { State } from '../../model/state.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';
import { kindFinder } from './kind-finder.ts';

/** How many pods of which kind have their place in a group, by group in the order of their names. */
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
    sortedBy(groups, ([group]) => group).map(([group, reserved]) => {
      const counts = new Map<PodKind, number>();
      for (const { kind, count } of reserved.flatMap(find)) {
        counts.set(kind, (counts.get(kind) ?? 0) + count);
      }
      return [group, counts];
    }),
  );
}

/** The reservations to remember: the places that this evaluation found or bought for pending pods. */
export function reservedBy(snapshot: Snapshot, placements: readonly Placement[]): State['reservations'] {
  const groups = new Map<GroupName, Map<PodKind, number>>();
  for (const { kind, info, count } of placements) {
    if (info.group !== null) {
      const reserved = groups.get(info.group) ?? new Map<PodKind, number>();
      groups.set(info.group, reserved.set(kind, (reserved.get(kind) ?? 0) + count));
    }
  }
  return sortedRecord(
    [...groups].map(([group, reserved]) => {
      const places = [...reserved].map(([kind, count]) => ({ kind: snapshot.kinds.fingerprint(kind), count }));
      return [group, sortedBy(places, ({ kind }) => kind)] as const;
    }),
  );
}
