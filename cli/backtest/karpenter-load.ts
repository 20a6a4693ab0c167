import { addCount } from '@outrigger/core/model/values/counts.ts';
import { firstItem, getExisting } from '@outrigger/core/model/values/existing.ts';
import { type GroupName, groupName } from '@outrigger/core/model/values/names.ts';
import { durationMs } from '@outrigger/core/model/values/time.ts';
import type { SimulatedScalingGroup } from '@outrigger/simulation/cloud/scaling-group.ts';
import type { LoadStep } from '@outrigger/simulation/load/load.ts';
import { labelsOfType, nodeOfType, otherTypes, poolsOf } from '../advise/pools.ts';
import type { ObservedPeriod } from '../history/observed.ts';
import type { HistoryLoad, PlayedLoad } from './load-of.ts';
import { atStatedPrices, pricesOfNodes } from '@outrigger/simulation/load/stated-prices.ts';

/** No limit: a NodePool has none by default. */
const MOST_NODES = 100_000;
/** The default of a NodePool. */
const CONSOLIDATE_AFTER = durationMs(0);

/** Node groups that are the same for pods, and what Karpenter may launch in their place. */
interface NodePool {
  readonly name: string;
  readonly groups: readonly SimulatedScalingGroup[];
  /** Instance types beside those of the groups. */
  readonly otherTypes: readonly string[];
}

/** A group of the simulation for one instance type in one zone, and the node groups that it stands for. */
interface OfferedGroup {
  readonly group: SimulatedScalingGroup;
  readonly pool: string;
  readonly origins: ReadonlySet<GroupName>;
}

/** Why Karpenter cannot be simulated in a cluster, and what to do, in words; `null`: it can. */
export function objectionToKarpenter({ last, groups }: Pick<ObservedPeriod, 'last' | 'groups'>): string | null {
  if (last.provider !== 'aws') {
    return 'the node groups are of Cluster API, and the simulated Karpenter launches EC2 instances: use --peer cluster-autoscaler';
  }
  const unpriced = [...pricesOfNodes([...groups.values()], last.options)].find(([, price]) => price === null);
  if (unpriced === undefined) {
    return null;
  }
  return `the price of node group ${unpriced[0]} is unknown, and Karpenter chooses by prices: state it in the option prices, and play a period from then on`;
}

/**
 * The load for Karpenter: node groups with the same labels and taints become a NodePool, in all their zones, with all instance types
 * that `outrigger advise` would try. A group of the simulation stands for each type and zone; those of the types of the cluster begin
 * with its nodes.
 */
export function underKarpenter({ load: listed, fixed }: PlayedLoad): HistoryLoad['load'] {
  const load = atStatedPrices(listed);
  const others = load.groups.filter(({ name }) => fixed.has(name));
  const offered = nodePoolsOf(load.groups.filter(({ name }) => !fixed.has(name))).flatMap(offeredBy);
  const byOrigin = new Map(
    load.groups.map(({ name }) => [name, offered.filter(({ origins }) => origins.has(name)).map(({ group }) => group)]),
  );
  return {
    ...load,
    groups: [...others, ...offered.map(({ group }) => group)],
    karpenter: {
      pools: new Map(offered.map(({ group, pool }) => [group.name, pool])),
      consolidateAfter: CONSOLIDATE_AFTER,
    },
    steps: load.steps.flatMap((step) => stepFor(step, byOrigin)),
  };
}

/** Groups of which `outrigger advise` says nothing, such as those with GPUs, are NodePools of their own type. */
function nodePoolsOf(groups: readonly SimulatedScalingGroup[]): readonly NodePool[] {
  const { pools, others } = poolsOf(groups);
  const alone = new Set(others.map(({ group }) => group));
  return [
    ...pools.map((pool) => ({ groups: pool.groups, otherTypes: otherTypes(pool) })),
    ...groups.filter(({ name }) => alone.has(name)).map((group) => ({ groups: [group], otherTypes: [] })),
  ].map((pool, index) => ({ ...pool, name: `pool ${index + 1}` }));
}

function offeredBy({ name: pool, groups, otherTypes: others }: NodePool): readonly OfferedGroup[] {
  const like = firstItem(groups);
  const zones = [...new Set(groups.flatMap((group) => group.zones))].toSorted();
  const starting = startingNodes(groups);
  const seen = [...Map.groupBy(groups, ({ instanceType }) => instanceType).values()].map(firstItem);
  const nodes = [...seen, ...others.map((type) => ({ ...like, ...nodeOfType(type, like) }))];
  return nodes.flatMap((node) =>
    zones.map((zone) => ({
      pool,
      group: {
        ...node,
        name: groupName(`${node.instanceType} ${zone}, ${pool}`),
        labels: labelsOfType(node.instanceType, like),
        zones: [zone],
        minSize: 0,
        maxSize: MOST_NODES,
        desiredSize: starting.get(`${node.instanceType} ${zone}`) ?? 0,
      },
      origins: new Set(
        groups
          .filter(({ instanceType, zones: own }) => instanceType === node.instanceType && own.includes(zone))
          .map(({ name }) => name),
      ),
    })),
  );
}

/** The nodes at the start by type and zone: Auto Scaling balances the zones of a group. */
function startingNodes(groups: readonly SimulatedScalingGroup[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { instanceType, zones, desiredSize } of groups) {
    for (let i = 0; i < desiredSize; i++) {
      addCount(sizes, `${instanceType} ${zones[i % zones.length] ?? ''}`);
    }
  }
  return sizes;
}

/** Interruptions and shortages of a node group are those of its instance type in its zones. */
function stepFor(
  step: LoadStep,
  byOrigin: ReadonlyMap<GroupName, readonly SimulatedScalingGroup[]>,
): readonly LoadStep[] {
  if (step.kind === 'interruption') {
    const groups = getExisting(byOrigin, step.group);
    const { name } = groups.find(({ zones: [zone] }) => zone === step.zone) ?? firstItem(groups);
    return [{ ...step, group: name }];
  }
  if (step.kind === 'capacity') {
    const groups = getExisting(byOrigin, step.group);
    return groups.map(({ name }) => ({ ...step, group: name, available: Math.ceil(step.available / groups.length) }));
  }
  return [step];
}
