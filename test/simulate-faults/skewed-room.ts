import { type Node, ZONE_LABEL } from '../../core/model/cluster/node.ts';
import { isFinished, type Pod } from '../../core/model/cluster/pod.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import type { GroupView } from '../../providers/simulated/auto-scaling.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { type Pool, poolOfNode, SKEW_LABEL, type ZoneSkew } from './pools.ts';
import type { Place } from './truth.ts';

/** What a zone has for the pods of a pool that are spread over its zones, each of one unit. */
export interface ZoneRoom {
  /** Those that are there, and that kube-scheduler counts. */
  readonly pods: number;
  /** For so many more. */
  readonly room: number;
}

/** By zone; a zone that is left out is no domain. */
export type Zones = ReadonlyMap<string, ZoneRoom>;

/** What zones may have had, and how many pods waited beside that. */
export interface SeenZones {
  readonly waiting: number;
  readonly zones: readonly Zones[];
}

/**
 * How many more pods can be placed, one after the other, so that none of them comes to a zone with more than `maxSkew` beyond
 * the emptiest one. No order can place more, or gets stuck with less: one that goes to the emptiest zone is always let in, so
 * that in the end this one is full, and what it holds then limits all others.
 */
export const placeable = (zones: Zones, skew: ZoneSkew): number =>
  [...filled(zones, skew)].reduce((sum, [zone, { pods }]) => sum + pods - zones.get(zone)!.pods, 0);

/** Zones when all pods that can be placed have been. */
function filled(zones: Zones, { maxSkew, minDomains }: ZoneSkew): Zones {
  const ends = [...zones.values()].map(({ pods, room }) => pods + room);
  const least = minDomains !== null && ends.length < minDomains ? 0 : Math.min(...ends);
  return new Map(
    [...zones].map(([zone, { pods, room }]) => {
      const more = Math.max(0, Math.min(room, least + maxSkew - pods));
      return [zone, { pods: pods + more, room: room - more }];
    }),
  );
}

/** The pods of a zone may be so many more than those of the emptiest one. */
export function mayCome(zone: string, zones: Zones, { maxSkew, minDomains }: ZoneSkew): boolean {
  const counts = new Map([...zones].map(([name, { pods }]) => [name, pods] as const));
  const own = counts.get(zone) ?? 0;
  counts.set(zone, own);
  const least = minDomains !== null && counts.size < minDomains ? 0 : Math.min(...counts.values());
  return own + 1 - least <= maxSkew;
}

/** Zones with more room in one of them, or with one more of them. */
export function withMore(zones: Zones, zone: string, room: number): Zones {
  const { pods, room: before } = zones.get(zone) ?? { pods: 0, room: 0 };
  return new Map([...zones, [zone, { pods, room: before + room }]]);
}

/** The zones of the nodes of a pool, with the pods that count there and no room. */
export function zonesWithPods(pools: readonly Pool[], pool: Pool, nodes: Iterable<Node>, pods: Iterable<Pod>): Zones {
  const zoneOf = new Map<NodeName, string>();
  const counts = new Map<string, number>();
  for (const node of nodes) {
    if (poolOfNode(pools, node) === pool) {
      const zone = node.labels[ZONE_LABEL]!;
      zoneOf.set(node.name, zone);
      counts.set(zone, counts.get(zone) ?? 0);
    }
  }
  for (const pod of pods) {
    const zone = pod.nodeName === null ? undefined : zoneOf.get(pod.nodeName);
    if (zone !== undefined && countsForSkew(pod)) {
      counts.set(zone, counts.get(zone)! + 1);
    }
  }
  return new Map([...counts].map(([zone, count]) => [zone, { pods: count, room: 0 }]));
}

/** kube-scheduler does not count pods that are on their way out, or that have ended. */
const countsForSkew = (pod: Pod): boolean =>
  pod.labels[SKEW_LABEL] !== undefined && pod.deletedAt === null && !isFinished(pod);

/** The only zone of a group whose pool's pods are spread over zones. */
export const zoneOfGroup = ({ zones }: Pick<ScalingGroup, 'zones'>): string => zones[0]!;

/** Could a pod of the pool that waits run on one more node of this group? */
export function wouldTake(
  { group }: Pick<GroupView, 'group'>,
  pool: Pool,
  pools: readonly Pool[],
  { api }: Pick<SimulatedWorld, 'api'>,
): boolean {
  const { skew } = pool;
  return (
    skew === undefined ||
    mayCome(zoneOfGroup(group), zonesWithPods(pools, pool, api.nodes.values(), api.pods.values()), skew)
  );
}

interface Basis {
  readonly pool: Pool;
  readonly pools: readonly Pool[];
  readonly world: SimulatedWorld;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** Those that need a place: what is still on a node goes from there. */
  readonly waiting: readonly Pod[];
  readonly closed: ReadonlySet<NodeName>;
  /** What is certain, and what may be counted on besides. */
  readonly places: readonly (readonly Place[])[];
}

/**
 * What the zones of a pool may have seemed to have when a decision was made: pods and zones of nodes that leave may count or
 * not, instances that are late too, zone by zone, and a zone whose instances are no nodes yet.
 */
export function zonesAsSeen({ pool, pools, world, nodes, pods, waiting, closed, places }: Basis): readonly Zones[] {
  const going = new Set(waiting.map(({ uid }) => uid));
  const staying = pods.filter(({ uid }) => !going.has(uid));
  const nodeSets = [nodes, nodes.filter(({ name }) => !closed.has(name))];
  const expected = world.scaling
    .groups()
    .flatMap(({ group, desired, instances }) =>
      pool.groups.includes(group.name) && (desired > 0 || instances.length > 0) ? zoneOfGroup(group) : [],
    );
  return nodeSets.flatMap((own) => {
    const counted = zonesWithPods(pools, pool, own, staying);
    const names = new Set([...counted.keys(), ...expected, ...places.flat().map(({ group }) => zoneOfGroup(group))]);
    return [...names].reduce<readonly Zones[]>(
      (alternatives, zone) =>
        alternatives.flatMap((zones) => {
          const rooms = places.map((these) => roomIn(zone, these));
          const some = [...new Set(rooms)].map((room) => withMore(zones, zone, room));
          return counted.has(zone) || !rooms.includes(0) ? some : [zones, ...some];
        }),
      [counted],
    );
  });
}

const roomIn = (zone: string, places: readonly Place[]): number =>
  places.reduce((sum, { group, units }) => sum + (zoneOfGroup(group) === zone ? units : 0), 0);

/**
 * Does the last one of the nodes that are bought of a group let more pods run, as far as can be told: once those have their
 * places that have one without it?
 */
export const helps = (
  group: ScalingGroup,
  bought: readonly Bought[],
  waiting: number,
  alternatives: readonly Zones[],
  skew: ZoneSkew,
): boolean => {
  const { units, nodes } = bought.find((one) => one.group === group)!;
  const zone = zoneOfGroup(group);
  return alternatives.some((zones) => {
    const others = bought.filter((one) => one.group !== group);
    const own = nodes > 1 ? withMore(zones, zone, (nodes - 1) * units) : zones;
    const inKnown = withAll(
      own,
      others.filter((one) => zones.has(zoneOfGroup(one.group))),
    );
    // Those of a zone that is no domain yet may come first, or last.
    return subsetsOf(others.filter((one) => !zones.has(zoneOfGroup(one.group)))).some((first) => {
      const without = withAll(inKnown, first);
      return placeable(without, skew) < waiting && placeable(withMore(filled(without, skew), zone, units), skew) > 0;
    });
  });
};

/**
 * The groups of which the last node that is bought lets no more pods run; none where one decision can have seen what justifies
 * all of them.
 *
 * @param seen what it can have seen; at least one.
 */
export const boughtInVain = (
  bought: readonly Bought[],
  seen: readonly SeenZones[],
  skew: ZoneSkew,
): readonly ScalingGroup[] =>
  seen
    .map(({ waiting, zones }) =>
      bought.flatMap(({ group }) => (helps(group, bought, waiting, zones, skew) ? [] : group)),
    )
    .reduce((least, some) => (some.length < least.length ? some : least));

/** Would one more node of the group let more pods run, whatever the zones were taken to have? */
export const wouldHelp = (
  one: Omit<Bought, 'nodes'>,
  waiting: number,
  alternatives: readonly Zones[],
  skew: ZoneSkew,
): boolean => alternatives.every((zones) => helps(one.group, [{ ...one, nodes: 1 }], waiting, [zones], skew));

const withAll = (zones: Zones, bought: readonly Bought[]): Zones =>
  bought.reduce((sum, { group, nodes, units }) => withMore(sum, zoneOfGroup(group), nodes * units), zones);

export const subsetsOf = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  all.reduce<readonly (readonly T[])[]>((sets, one) => sets.flatMap((set) => [set, [...set, one]]), [[]]);

export interface Bought {
  readonly group: ScalingGroup;
  readonly nodes: number;
  readonly units: number;
}
