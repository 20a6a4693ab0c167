import type { Demand } from '../../estimator/demand.ts';
import { fill, type Placement, type Placer } from '../../estimator/placing.ts';
import { ownerText, type HeldPlace, countOnUpcomingNodes } from '../../headroom/held.ts';
import type { NodeName } from '../../model/values/names.ts';
import type { SnapshotChange, Snapshot } from '../../model/snapshot/snapshot.ts';
import type { OpenRequest } from '../../headroom/requests/requests.ts';
import { requestedPodCount } from '../../headroom/requests/requested-pods.ts';
import { placeOnExistingNodes } from '../reservations/place-on-existing-nodes.ts';
import { reservationsOf } from '../reservations/reservations.ts';
import { demandsFor } from './demands.ts';
import { fitTogether, givingOut, type PlacedDemands, type TogetherInput } from './together.ts';

/** The places of pods whose room is held, and how many pods of each request have one. */
export interface BookedCapacity {
  readonly rooms: readonly HeldRequest[];
  readonly placements: readonly Placement[];
  readonly places: readonly HeldPlace[];
  readonly fits: BookedFits;
}

/** The room of one request. */
export interface HeldRequest extends PlacedDemands {
  readonly name: string;
}

/** Number of pods that have a place among those whose room is held, and on nodes on their way, by the name of the request. */
export type BookedFits = ReadonlyMap<string, { readonly fits: number; readonly upcoming: number }>;

const REQUEST = 'ProvisioningRequest';

/** The pods that want capacity: of requests, and pending ones. */
interface Wanting {
  readonly snapshot: Snapshot;
  readonly requests: readonly OpenRequest[];
  readonly demands: readonly Demand[];
}

/** A request whose room is held. */
interface Holder {
  readonly name: string;
  readonly demands: readonly Demand[];
}

type Way = readonly HeldRequest[];

/**
 * Holds the capacity that requests were given, before any other pod is placed. Booked pods without a place cause no
 * scale-up: the nodes added for them have not come, or other pods have taken the capacity.
 *
 * The places are not settled before the request's pods come. Small booked pods that are placed first would split the
 * capacity of large pods that are looked at next, and nodes would be launched for the large ones. So all pods are
 * placed together on trial, the largest first, and booked pods get their places from the trial, if none of them loses a
 * place that it had otherwise, or waits for a node.
 *
 * @param ready the existing nodes
 */
export function placeBooked(cluster: Wanting, given: TogetherInput, ready: ReadonlySet<NodeName>): BookedCapacity {
  const holders = cluster.requests.flatMap(({ name, step }): readonly Holder[] =>
    step.kind === 'book' ? [{ name, demands: demandsFor(cluster, step.sets) }] : [],
  );
  const others = holders.length === 0 ? [] : otherDemands(cluster);
  const { snapshot } = cluster;
  snapshot.fork();
  const first = inTurn(holders, given);
  if (others.length === 0 && first.every(hasAll)) {
    snapshot.commit();
    return bookedOf(first, ready);
  }
  const changes: readonly SnapshotChange[] = snapshot.revert();
  snapshot.fork();
  const rehearsed = fitTogether([...holders.map(({ demands }) => demands), others], given).placements;
  snapshot.revert();
  snapshot.fork();
  const second = asRehearsed(holders, rehearsed, given);
  if (isAsGood(second, first, ready)) {
    snapshot.commit();
    return bookedOf(second, ready);
  }
  snapshot.revert();
  snapshot.redo(changes);
  return bookedOf(first, ready);
}

/** Have all pods of the request a place? */
const hasAll = ({ demands, placements }: PlacedDemands): boolean => requestedPodCount(placements) === podsIn(demands);

const podsIn = (demands: readonly Demand[]): number => demands.reduce((sum, { pods }) => sum + pods.length, 0);

/** The demands that are placed after the held ones. */
const otherDemands = (cluster: Wanting): readonly Demand[] => [
  ...cluster.demands,
  ...cluster.requests.flatMap(({ step }) => (step.kind === 'try' ? demandsFor(cluster, step.sets) : [])),
];

/** Places the requests one after the other. */
function inTurn(holders: readonly Holder[], { state, ...given }: TogetherInput): Way {
  const contents = new Map<never, never>();
  return holders.map(({ name, demands }) => {
    const reservations = reservationsOf(state, given.snapshot, demands);
    const { placements } = placeOnExistingNodes({ ...given, demands, reservations, contents });
    return { name, demands, placements };
  });
}

/**
 * Puts booked pods into the rehearsed places; of a kind that other pods have as well, booked pods have the first
 * places.
 */
function asRehearsed(
  holders: readonly Holder[],
  rehearsed: readonly Placement[],
  { snapshot, scheduler }: Pick<TogetherInput, 'snapshot' | 'scheduler'>,
): Way {
  let placer: Placer = { snapshot, scheduler, placements: [] };
  const give = givingOut(rehearsed, ({ kind, info, count }) => fill(placer, info, { kind, count }));
  return holders.map(({ name, demands }) => {
    placer = { snapshot, scheduler, placements: [] };
    give(demands);
    return { name, demands, placements: placer.placements };
  });
}

const placeOf = (name: string, { info, count }: Placement): HeldPlace => ({ source: REQUEST, name, info, count });

/** Has every request as many places as the other way, and as many of them on nodes that are there? */
function isAsGood(one: Way, other: Way, ready: ReadonlySet<NodeName>): boolean {
  const [own, before] = [countsOf(one, ready), countsOf(other, ready)];
  return [...before].every(([name, { fits, upcoming }]) => {
    const found = own.get(name);
    return found !== undefined && found.fits >= fits && found.upcoming <= upcoming;
  });
}

/** The room that is held, told for the decision. */
export const bookedOf = (rooms: Way, ready: ReadonlySet<NodeName>): BookedCapacity => ({
  rooms,
  placements: rooms.flatMap(({ placements }) => placements),
  places: placesIn(rooms),
  fits: countsOf(rooms, ready),
});

const placesIn = (rooms: Way): readonly HeldPlace[] =>
  rooms.flatMap(({ name, placements }) => placements.map((one) => placeOf(name, one)));

function countsOf(rooms: Way, ready: ReadonlySet<NodeName>): BookedFits {
  const places = placesIn(rooms);
  const coming = countOnUpcomingNodes(places, ready);
  return new Map(
    [...Map.groupBy(places, ({ name }) => name)].map(([name, own]) => [
      name,
      { fits: requestedPodCount(own), upcoming: coming.get(ownerText({ source: REQUEST, name })) ?? 0 },
    ]),
  );
}
