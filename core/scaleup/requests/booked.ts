import type { Demand } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';
import { ownerText, type HeldPlace, countOnUpcomingNodes } from '../../headroom/held.ts';
import type { OpenRequest } from '../../headroom/requests/requests.ts';
import { requestedPodCount } from '../../headroom/requests/requested-pods.ts';
import type { NodeName } from '../../model/values/names.ts';
import type { State } from '../../model/state.ts';
import { type PlacementInput, placeOnExistingNodes } from '../reservations/place-on-existing-nodes.ts';
import { type PodsThere, reservationsOf } from '../reservations/reservations.ts';
import { demandsFor } from './demands.ts';

/** The places of pods whose capacity is held, and how many pods of each request have one. */
export interface BookedCapacity {
  readonly placements: readonly Placement[];
  readonly places: readonly HeldPlace[];
  readonly fits: BookedFits;
}

/** Number of pods that have a place among those whose room is held, and on nodes on their way, by the name of the request. */
export type BookedFits = ReadonlyMap<string, { readonly fits: number; readonly upcoming: number }>;

/** The input for placing booked pods: without their demands, and the reservations of these. */
export type BookedInput = Omit<PlacementInput, 'demands' | 'reservations' | 'contents'> & { readonly state: State };

const REQUEST = 'ProvisioningRequest';

/**
 * Holds the capacity that requests were given, before any other pod is placed, as Cluster Autoscaler does. Booked pods
 * without a place cause no scale-up: the nodes added for them have not come, or other pods have taken the capacity.
 *
 * @param ready the existing nodes
 */
export function placeBooked(
  requests: readonly OpenRequest[],
  { state, ...given }: BookedInput,
  ready: ReadonlySet<NodeName>,
): BookedCapacity {
  const placed = requests.flatMap(({ name, step }) =>
    step.kind === 'book' ? [{ name, placements: placementsOf(demandsFor(given, step.sets), state, given) }] : [],
  );
  const places = placed.flatMap(({ name, placements }) =>
    placements.map(({ info, count }): HeldPlace => ({ source: REQUEST, name, info, count })),
  );
  return { placements: placed.flatMap(({ placements }) => placements), places, fits: fitsOf(places, ready) };
}

const placementsOf = (
  demands: readonly Demand[],
  state: State,
  given: Omit<BookedInput, 'state'>,
): readonly Placement[] =>
  placeOnExistingNodes({
    ...given,
    demands,
    reservations: reservationsOf(state, { snapshot: given.snapshot, demands, there: NONE_THERE }),
    contents: new Map<never, never>(),
  }).placements;

/** Requests are for pods that do not exist. */
const NONE_THERE: PodsThere = new Map();

function fitsOf(places: readonly HeldPlace[], ready: ReadonlySet<NodeName>): BookedFits {
  const coming = countOnUpcomingNodes(places, ready);
  return new Map(
    [...Map.groupBy(places, ({ name }) => name)].map(([name, own]) => [
      name,
      { fits: requestedPodCount(own), upcoming: coming.get(ownerText({ source: REQUEST, name })) ?? 0 },
    ]),
  );
}
