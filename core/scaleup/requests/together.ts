import { itemAt } from '../../model/values/existing.ts';
import type { Demand } from '../../estimator/demand.ts';
import { podsByKind } from '../../estimator/load.ts';
import type { Placement } from '../../estimator/placing.ts';
import { addCount } from '../../model/values/counts.ts';
import type { NodeName } from '../../model/values/names.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { State } from '../../model/state.ts';
import {
  placeOnExistingNodes,
  type PlacementInput,
  type ExistingPlacements,
} from '../reservations/place-on-existing-nodes.ts';
import { reservationsOf } from '../reservations/reservations.ts';

/** The input for placing pods of several origins together. */
export type TogetherInput = Omit<PlacementInput, 'demands' | 'reservations' | 'contents'> & { readonly state: State };

/** Places all demands together, the largest first, whatever they belong to. */
export function fitTogether(
  lists: readonly (readonly Demand[])[],
  { state, ...given }: TogetherInput,
): ExistingPlacements {
  const kinds = Map.groupBy(lists.flat(), ({ kind }) => kind);
  const demands = [...kinds].map(([kind, same]): Demand => ({ kind, pods: same.flatMap(({ pods }) => pods) }));
  const reservations = reservationsOf(state, given.snapshot, demands);
  return placeOnExistingNodes({ ...given, demands, reservations, contents: new Map<never, never>() });
}

/**
 * Gives out places to one after another: of a kind that others have as well, the first to ask has the first ones.
 *
 * @param put says how many of the pods of one place could be put there; the places of the others are still free.
 */
export function givingOut(
  places: readonly Placement[],
  put: (place: Placement) => number,
): (demands: readonly Demand[]) => void {
  const free = Map.groupBy(
    places.map(({ kind, info, count }) => ({ kind, info, count })),
    ({ kind }): PodKind => kind,
  );
  return (demands) => {
    for (const { kind, pods } of demands) {
      let left = pods.length;
      for (const place of free.get(kind) ?? []) {
        const count = Math.min(left, place.count);
        const placed = count === 0 ? 0 : put({ kind, info: place.info, count });
        place.count -= placed;
        left -= placed;
      }
    }
  };
}

/** Pods of one origin, and the places that they have on the snapshot. */
export interface PlacedDemands {
  readonly demands: readonly Demand[];
  readonly placements: readonly Placement[];
}

/** Pods that have no place on the snapshot. */
export interface UnplacedDemands {
  /** The pods that room is made for. */
  readonly more: readonly Demand[];
  /** Pods that come before `more` and have found no place: no place that they could have is given away. */
  readonly unplaced: readonly Demand[];
}

/**
 * Makes room for more pods without more nodes: settled pods and these pods are placed anew together, the largest first.
 * All of them have a place then, and as many of the settled pods as before are on existing nodes.
 *
 * @param ready the existing nodes
 * @returns the places of each of `settled`, in their order, and then of the other pods; `null` where there is no room:
 *   the snapshot is as it was.
 */
export function makeRoom(
  settled: readonly PlacedDemands[],
  { more, unplaced }: UnplacedDemands,
  input: TogetherInput,
  ready: ReadonlySet<NodeName>,
): readonly (readonly Placement[])[] | null {
  const { snapshot } = input;
  snapshot.fork();
  for (const { kind, info, count } of settled.flatMap(({ placements }) => placements)) {
    snapshot.remove(kind, info, count);
  }
  const own = settled.map(placedOf);
  const given = haveNoRoom(unplaced, own, input) ? placesFor([...own, more], input) : null;
  if (given === null || !settled.every(({ placements }, i) => keepsReady(placements, itemAt(given, i), ready))) {
    snapshot.revert();
    return null;
  }
  snapshot.commit();
  return given;
}

/** Would these not have room either if all were placed anew? */
function haveNoRoom(pods: readonly Demand[], own: readonly (readonly Demand[])[], input: TogetherInput): boolean {
  if (pods.length === 0) {
    return true;
  }
  const { snapshot } = input;
  snapshot.fork();
  const { left } = fitTogether([...own, pods], input);
  snapshot.revert();
  return isSame(left, pods);
}

/** The pods that have a place: the first ones of their kind. */
function placedOf({ demands, placements }: PlacedDemands): readonly Demand[] {
  const placed = podsByKind(placements);
  return demands.map(({ kind, pods }) => ({ kind, pods: pods.slice(0, placed.get(kind) ?? 0) }));
}

/** Are these the same numbers of pods of each kind? */
function isSame(some: readonly Demand[], others: readonly Demand[]): boolean {
  const counts = new Map<PodKind, number>();
  for (const { kind, pods } of some) {
    addCount(counts, kind, pods.length);
  }
  for (const { kind, pods } of others) {
    addCount(counts, kind, -pods.length);
  }
  return [...counts.values()].every((count) => count === 0);
}

/** Places all lists together. @returns the places of each list; `null` where some pods have none. */
function placesFor(
  wanting: readonly (readonly Demand[])[],
  input: TogetherInput,
): readonly (readonly Placement[])[] | null {
  const { placements, left } = fitTogether(wanting, input);
  if (left.length > 0) {
    return null;
  }
  let own: Placement[] = [];
  const give = givingOut(placements, (place) => {
    own.push(place);
    return place.count;
  });
  return wanting.map((demands) => {
    own = [];
    give(demands);
    return own;
  });
}

/** Are as many pods of each kind on nodes that are there as before? */
function keepsReady(before: readonly Placement[], after: readonly Placement[], ready: ReadonlySet<NodeName>): boolean {
  const onReady = (places: readonly Placement[]): Map<PodKind, number> =>
    podsByKind(places.filter(({ info }) => ready.has(info.name)));
  const now = onReady(after);
  return [...onReady(before)].every(([kind, count]) => (now.get(kind) ?? 0) >= count);
}
