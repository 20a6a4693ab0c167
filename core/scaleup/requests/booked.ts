import { type Demand, demandRows } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';
import { ownerText, type HeldPlace, countOnUpcomingNodes } from '../../headroom/held.ts';
import type { OpenRequest } from '../../headroom/requests/requests.ts';
import type { RequestedPods } from '../../headroom/quota-ledger.ts';
import { requestedPodCount } from '../../headroom/requests/requested-pods.ts';
import type { NodeName } from '../../model/values/names.ts';
import type { State } from '../../model/state.ts';
import { type PlacementInput, placeOnExistingNodes } from '../reservations/place-on-existing-nodes.ts';
import { type PodsThere, reservationsOf } from '../reservations/reservations.ts';

/** The places of pods whose capacity is held, and how many pods of each request have one. */
export interface BookedCapacity {
  readonly placements: readonly Placement[];
  readonly places: readonly HeldPlace[];
  readonly fits: BookedFits;
}

/** Number of pods that have a place among those whose room is held, and on nodes on their way, by the name of the request. */
export type BookedFits = ReadonlyMap<string, { readonly fits: number; readonly upcoming: number }>;

/** The input for placing booked pods: without their demands, and the reservations of these. */
type BookedInput = Omit<PlacementInput, 'demands' | 'reservations' | 'contents'> & { readonly state: State };

const REQUEST = 'ProvisioningRequest' as const;

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
  const placements: Placement[] = [];
  const places: HeldPlace[] = [];
  for (const { name, step } of requests) {
    if (step.kind === 'book') {
      const demands = demandsFor(given, step.sets);
      const reservations = reservationsOf(state, given.snapshot, demands, NONE_THERE);
      const placed = placeOnExistingNodes({ ...given, demands, reservations, contents: new Map() }).placements;
      placements.push(...placed);
      places.push(...placed.map(({ info, count }) => ({ source: REQUEST, name, info, count })));
    }
  }
  return { placements, places, fits: fitsOf(places, ready) };
}

/** The pods of the sets as demands. */
export const demandsFor = (
  { snapshot }: Pick<PlacementInput, 'snapshot'>,
  sets: readonly RequestedPods[],
): readonly Demand[] =>
  demandRows(
    ...sets.map(({ pod, count }) => {
      const pods = Array.from({ length: count }, () => pod);
      return { pods, kinds: pods.map(() => snapshot.kindOf(pod)) };
    }),
  );

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
