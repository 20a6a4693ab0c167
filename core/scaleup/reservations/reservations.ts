import { addCount, mapAt } from '../../model/values/counts.ts';
import { firstItem, getExisting } from '../../model/values/existing.ts';
import { getOrMake } from '../../model/values/get-or-make.ts';
import type { GroupName } from '../../model/values/names.ts';
import { entriesOf } from '../../model/values/records.ts';
import { sortedBy, sortedRecord } from '../../model/values/sorted.ts';
import { type PodKind, sharedPart } from '../../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import type { Reservation, ReservedPlaces, State } from '../../model/state.ts';
import { type Demand, type Load, podsByKind } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';

/** A number of pods of each kind, by group. */
export type PodsByGroup = ReadonlyMap<GroupName, ReadonlyMap<PodKind, number>>;

/** The pods that each node of a group is to hold; groups whose places packing finds again are absent. */
export type NodeContents = ReadonlyMap<GroupName, readonly (readonly Load[])[]>;

/** Counts, for kinds of pods that are pending, the pods that run on nodes of groups or are nominated to them. */
export function podsThere(snapshot: Snapshot, demands: readonly Demand[]): PodsByGroup {
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
  { reservations }: State,
  snapshot: Snapshot,
  demands: readonly Demand[],
  there: PodsByGroup,
): PodsByGroup {
  const groups = sortedBy(entriesOf(reservations), ([group]) => group);
  const find = kindFinder(
    snapshot,
    demands,
    groups.flatMap(([, reserved]) => reserved),
  );
  return new Map(
    groups.map(([group, reserved]) => {
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
  if (only === undefined || others.length > 0 || before.existing === undefined) {
    return places;
  }
  const arrived = Math.max(0, (now.get(only.kind) ?? 0) - before.existing);
  return [{ kind: only.kind, count: Math.max(0, only.count - arrived) }];
}

const NO_PODS: ReadonlyMap<PodKind, number> = new Map();

/** The pods that each node of a group is to hold, from the state. */
export function rememberedContents(
  { reservedPacking }: State,
  snapshot: Snapshot,
  demands: readonly Demand[],
): NodeContents {
  const groups = entriesOf(reservedPacking).filter(([, { nodes }]) => nodes.length > 0);
  const find = kindFinder(
    snapshot,
    demands,
    groups.flatMap(([, { nodes }]) => nodes.flat()),
  );
  return new Map(groups.map(([group, { nodes }]) => [group, nodes.map((contents) => contents.flatMap(find))]));
}

/**
 * Finds the kinds again that a state names. A workload whose selectors are the first to name a label, or the removal of
 * the last such workload, changes the kinds of pods with the label. Such kinds are then found by all other properties.
 * If one kind has become several, or several are alike in all else, each gets as many places as it has pods, the first
 * kinds first.
 *
 * @param remembered all reservations that will be looked up: kinds that are found exactly take no place of others.
 * @returns finds the pending pods that a reservation is for; none where the pods are not pending any more.
 */
function kindFinder(
  snapshot: Snapshot,
  demands: readonly Demand[],
  remembered: readonly ReservedPlaces[],
): (reserved: ReservedPlaces) => readonly Load[] {
  if (remembered.length === 0) {
    return () => [];
  }
  const spoken = new Set(remembered.map(({ kind }) => kind));
  const exact = new Map<string, PodKind[]>();
  const alike = new Map<string, PodKind[]>();
  for (const { kind } of demands) {
    const fingerprint = snapshot.kinds.fingerprint(kind);
    const [kinds, key] = spoken.has(fingerprint) ? [exact, fingerprint] : [alike, sharedPart(fingerprint)];
    getOrMake(kinds, key, () => []).push(kind);
  }
  const waiting = new Map(demands.map(({ kind, pods }) => [kind, pods.length]));
  return ({ kind: fingerprint, count }) => {
    const kinds = exact.get(fingerprint) ?? alike.get(sharedPart(fingerprint)) ?? [];
    if (kinds.length === 1) {
      return [{ kind: firstItem(kinds), count }];
    }
    const loads: Load[] = [];
    let left = count;
    for (const kind of kinds) {
      const some = Math.min(left, getExisting(waiting, kind));
      if (some > 0) {
        loads.push({ kind, count: some });
        waiting.set(kind, getExisting(waiting, kind) - some);
        left -= some;
      }
    }
    return loads;
  };
}

/** The reservations that these places come to, in the order in which groups and kinds are first seen. */
export function reservationsIn(placements: readonly Placement[]): PodsByGroup {
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
  there: PodsByGroup,
): State['reservations'] =>
  sortedRecord(
    [...reservationsIn(placements)].map(([group, reserved]) => {
      const places = [...reserved].map(([kind, count]) => ({
        kind: snapshot.kinds.fingerprint(kind),
        count,
        existing: there.get(group)?.get(kind) ?? 0,
      }));
      return [group, sortedBy(places, ({ kind }) => kind)] as const;
    }),
  );

/** How the reservations are found again: nothing for groups without any. */
export function packingAfter(
  contents: NodeContents,
  snapshot: Snapshot,
  placements: readonly Placement[],
): State['reservedPacking'] {
  const reserved = new Set(placements.map(({ info }) => info.group));
  return sortedRecord(
    [...contents]
      .filter(([group, nodes]) => reserved.has(group) && nodes.length > 0)
      .map(([group, nodes]) => {
        const places = nodes.map((loads) => placesFor(snapshot, loads));
        return [group, { nodes: places.filter((loads) => loads.length > 0) }] as const;
      }),
  );
}

const placesFor = (snapshot: Snapshot, loads: readonly Load[]): readonly ReservedPlaces[] =>
  sortedBy(
    loads.map(({ kind, count }) => ({ kind: snapshot.kinds.fingerprint(kind), count })),
    ({ kind }) => kind,
  );
