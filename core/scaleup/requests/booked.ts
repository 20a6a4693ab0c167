import type { Demand } from '../../estimator/demand.ts';
import { fill, type Placement, type Placer } from '../../estimator/placing.ts';
import { askerText, type HeldPlace, notThereYet } from '../../headroom/held.ts';
import type { NodeName } from '../../model/values/names.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Change } from '../../model/snapshot/snapshot.ts';
import type { State } from '../../model/state.ts';
import { countOf } from '../../provisioning/requested-pods.ts';
import type { Simulation } from '../pods/simulation.ts';
import { fitExisting, type FitInput } from '../reservations/fit-existing.ts';
import { reservationsOf } from '../reservations/reservations.ts';
import { type BookedFits, demandsFor } from './answers.ts';

/** The places of pods whose room is held, and how many pods of each request have one. */
export interface Booked {
  readonly placements: readonly Placement[];
  readonly places: readonly HeldPlace[];
  readonly fits: BookedFits;
}

const REQUEST = 'ProvisioningRequest';

/** A request whose room is held. */
interface Holder {
  readonly name: string;
  readonly demands: readonly Demand[];
}

type Way = Pick<Booked, 'placements' | 'places'>;

/**
 * Holds the room that requests were given, before any other pod has a place. Pods that find none cause no scale-up: what was
 * added for them has not come, or others have taken it.
 *
 * Where they have it is not settled before they come. Small ones that are placed first would split the room of large ones that are
 * looked at next, and nodes would be bought for these. So all are placed together on trial, the largest first, and the booked ones
 * have their places as there, if none of them goes without a place that it had otherwise, or waits for a node.
 *
 * @param ready the nodes that are there
 */
export function placeBooked(
  cluster: Simulation,
  state: State,
  given: Pick<FitInput, 'spare' | 'reference'>,
  ready: () => ReadonlySet<NodeName>,
): Booked {
  const holders = cluster.requests.flatMap(({ name, step }): readonly Holder[] =>
    step.kind === 'book' ? [{ name, demands: demandsFor(cluster, step.sets) }] : [],
  );
  const others = holders.length === 0 ? [] : otherDemands(cluster);
  const { snapshot } = cluster;
  snapshot.fork();
  const first = inTurn(holders, cluster, state, given);
  if (others.length === 0) {
    snapshot.commit();
    return bookedOf(first, ready);
  }
  const changes: readonly Change[] = snapshot.revert();
  const rehearsed = amongOthers(holders, others, cluster, state, given);
  snapshot.fork();
  const second = asRehearsed(holders, rehearsed, cluster);
  if (isAsGood(second, first, ready)) {
    snapshot.commit();
    return bookedOf(second, ready);
  }
  snapshot.revert();
  snapshot.redo(changes);
  return bookedOf(first, ready);
}

/** What is to have places after those that are held. */
const otherDemands = (cluster: Simulation): readonly Demand[] => [
  ...cluster.demands,
  ...cluster.requests.flatMap(({ step }) => (step.kind === 'try' ? demandsFor(cluster, step.sets) : [])),
];

/** One request after the other. */
function inTurn(
  holders: readonly Holder[],
  { snapshot, scheduler, templates }: Simulation,
  state: State,
  given: Pick<FitInput, 'spare' | 'reference'>,
): Way {
  const methods = new Map<never, never>();
  const ways = holders.map(({ name, demands }): Way => {
    const reservations = reservationsOf(state, snapshot, demands);
    const { placements } = fitExisting({ ...given, snapshot, scheduler, demands, templates, reservations, methods });
    return { placements, places: placements.map((one) => placeOf(name, one)) };
  });
  return together(ways);
}

/** Where each kind of pods would have its places if all were placed together; nothing of it is left on the snapshot. */
function amongOthers(
  holders: readonly Holder[],
  others: readonly Demand[],
  { snapshot, scheduler, templates, drained }: Simulation,
  state: State,
  given: Pick<FitInput, 'spare' | 'reference'>,
): readonly Placement[] {
  const kinds = Map.groupBy([...holders.flatMap(({ demands }) => demands), ...others], ({ kind }) => kind);
  const demands = [...kinds].map(([kind, same]): Demand => ({ kind, pods: same.flatMap(({ pods }) => pods) }));
  const reservations = reservationsOf(state, snapshot, demands);
  const methods = new Map<never, never>();
  snapshot.fork();
  const { placements } = fitExisting({
    ...given,
    snapshot,
    scheduler,
    demands,
    templates,
    reservations,
    methods,
    drained,
  });
  snapshot.revert();
  return placements;
}

/** Puts booked pods where these places are; of a kind that others have as well, they have the first ones. */
function asRehearsed(
  holders: readonly Holder[],
  rehearsed: readonly Placement[],
  { snapshot, scheduler }: Simulation,
): Way {
  const free = Map.groupBy(
    rehearsed.map(({ kind, info, count }) => ({ kind, info, count })),
    ({ kind }): PodKind => kind,
  );
  const ways = holders.map(({ name, demands }): Way => {
    const placer: Placer = { snapshot, scheduler, placements: [] };
    for (const { kind, pods } of demands) {
      let left = pods.length;
      for (const place of free.get(kind) ?? []) {
        const count = Math.min(left, place.count);
        const placed = count === 0 ? 0 : fill(placer, place.info, { kind, count });
        place.count -= placed;
        left -= placed;
      }
    }
    return { placements: placer.placements, places: placer.placements.map((one) => placeOf(name, one)) };
  });
  return together(ways);
}

const together = (ways: readonly Way[]): Way => ({
  placements: ways.flatMap(({ placements }) => placements),
  places: ways.flatMap(({ places }) => places),
});

const placeOf = (name: string, { info, count }: Placement): HeldPlace => ({ source: REQUEST, name, info, count });

/** Has every request as many places as the other way, and as many of them on nodes that are there? */
function isAsGood(one: Way, other: Way, ready: () => ReadonlySet<NodeName>): boolean {
  const [own, before] = [countsOf(one, ready), countsOf(other, ready)];
  return [...before].every(([name, { fits, upcoming }]) => {
    const found = own.get(name);
    return found !== undefined && found.fits >= fits && found.upcoming <= upcoming;
  });
}

const bookedOf = (way: Way, ready: () => ReadonlySet<NodeName>): Booked => ({ ...way, fits: countsOf(way, ready) });

function countsOf({ places }: Way, ready: () => ReadonlySet<NodeName>): BookedFits {
  const coming = notThereYet(places, ready);
  return new Map(
    [...Map.groupBy(places, ({ name }) => name)].map(([name, own]) => [
      name,
      { fits: countOf(own), upcoming: coming.get(askerText({ source: REQUEST, name })) ?? 0 },
    ]),
  );
}
