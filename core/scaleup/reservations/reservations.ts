import { addCount, mapAt } from '../../model/values/counts.ts';
import type { GroupName } from '../../model/values/names.ts';
import { sortedBy, sortedRecord } from '../../model/values/sorted.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import type { Reservation, State } from '../../model/state.ts';
import type { Demand } from '../../estimator/demand.ts';
import { type Load, podsByKind } from '../../estimator/load.ts';
import type { Placement } from '../../estimator/placing.ts';
import { kindFinder } from './kind-finder.ts';

/** The number of pods of each kind that have a place in a group, by group. */
export type Reservations = ReadonlyMap<GroupName, ReadonlyMap<PodKind, number>>;

/** The number of pods of each kind that the nodes of a group have, by group. */
export type PodsThere = ReadonlyMap<GroupName, ReadonlyMap<PodKind, number>>;

/** Counts, for kinds of pods that are pending, the pods that run on nodes of groups or are nominated to them. */
export function podsThere(snapshot: Snapshot, demands: readonly Demand[]): PodsThere {
  const there = new Map<GroupName, Map<PodKind, number>>();
  const kinds = new Set(demands.map(({ kind }) => kind).filter((kind) => snapshot.countOf(kind) > 0));
  for (const info of kinds.size > 0 ? snapshot.nodes : []) {
    const group = info?.group ?? null;
    if (info !== null && group !== null) {
      for (const [kind, count] of info.pods) {
        if (kinds.has(kind)) {
          addCount(mapAt(there, group), kind, count);
        }
      }
    }
  }
  return there;
}

/**
 * Finds the kinds again that the state speaks of. Reservations for pods that are no longer pending are dropped, and so are those for
 * pods that have come to the group's nodes since: pods of the same kind that still wait have their places in other groups.
 */
export function reservationsOf(
  state: State,
  {
    snapshot,
    demands,
    there,
  }: { readonly snapshot: Snapshot; readonly demands: readonly Demand[]; readonly there: PodsThere },
): Reservations {
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
      const places = reserved.flatMap((one) => withoutArrived(find(one), one, there.get(group)));
      return [group, podsByKind(places)];
    }),
  );
}

/** Pods with a kind of their own, such as those with volumes, are no longer pending when they have come. */
function withoutArrived(
  places: readonly Load[],
  before: Reservation,
  now: ReadonlyMap<PodKind, number> = NO_PODS,
): readonly Load[] {
  const [only, ...others] = places;
  if (only === undefined || others.length > 0 || before.there === undefined) {
    return places;
  }
  const arrived = Math.max(0, (now.get(only.kind) ?? 0) - before.there);
  return [{ kind: only.kind, count: Math.max(0, only.count - arrived) }];
}

const NO_PODS: ReadonlyMap<PodKind, number> = new Map();

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
export const reservedBy = (
  snapshot: Snapshot,
  placements: readonly Placement[],
  there: PodsThere,
): State['reservations'] =>
  sortedRecord(
    [...reservationsIn(placements)].map(([group, reserved]) => {
      const places = [...reserved].map(([kind, count]) => ({
        kind: snapshot.kinds.fingerprint(kind),
        count,
        there: there.get(group)?.get(kind) ?? 0,
      }));
      return [group, sortedBy(places, ({ kind }) => kind)] as const;
    }),
  );
