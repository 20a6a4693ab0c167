import { podRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import { addCount, countBy } from '@outrigger/core/model/values/counts.ts';
import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { rounded } from '@outrigger/core/model/values/rounded.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { CPU } from '@outrigger/core/model/values/resources.ts';
import { type Life, livesOf } from '@outrigger/simulation/recording/lives.ts';
import type { Percentiles, Recording } from '@outrigger/simulation/recording/recording.ts';
import { percentiles } from '@outrigger/simulation/recording/summarize.ts';
import type { PlayedLoad } from './load-of.ts';
import { nodeStretches, type StretchOfNode } from './node-stretches.ts';
import { meanPrices } from '@outrigger/simulation/load/stated-prices.ts';
import type { ObservedPeriod, ObservedPod } from '../history/observed.ts';

/** An instance from its launch to its end, in seconds from the start of the period. */
export interface NodeStretch {
  readonly group: GroupName;
  readonly from: number;
  readonly to: number;
}

/** Figures of a period: of the history, or of a run. */
export interface BacktestFigures {
  /** Cost of the node groups with a known price; `null` where no group has one. */
  readonly usd: number | null;
  readonly nodeHours: number;
  /** The CPU of the nodes times hours: the same whether a large node runs, or several small ones. */
  readonly cpuHours: number;
  readonly nodesLaunched: number;
  readonly nodesGone: number;
  /** The largest number of nodes at a time. */
  readonly nodesMost: number;
  /** Pods that kube-scheduler found no node for at first, and the seconds until they ran. */
  readonly waited: number;
  readonly waits: Percentiles | null;
  /** `null` of scenarios without decisions. */
  readonly evictions: number | null;
  readonly evictionsOfJobs: number | null;
  /** Requested CPU of evicted pods of Jobs, for the time that they had run. */
  readonly lostCoreHours: number | null;
}

/** Figures, and what they were counted from. */
export interface PeriodFigures {
  readonly figures: BacktestFigures;
  readonly stretches: readonly NodeStretch[];
  readonly cost: NodesCost;
}

/** The cost of the nodes of a period. */
export interface NodesCost {
  /** USD per hour of one node, in the mean, of each group that counts; `null` where it is unknown of some node. */
  readonly prices: ReadonlyMap<GroupName, number | null>;
  /** Changes of the cost per hour. */
  readonly changes: readonly { readonly at: number; readonly by: number }[];
  /** `null` where no group has a price. */
  readonly usd: number | null;
}

/** Counts what a history says, at the prices of a load. */
export function countPeriod(period: ObservedPeriod, played: PlayedLoad): PeriodFigures {
  const { since, until, pods } = period;
  const counted = countedGroups(played);
  const stretches = nodeStretches(period).filter(
    (one): one is StretchOfNode & NodeStretch => one.group !== null && counted.has(one.group),
  );
  const waits: number[] = [];
  let waited = 0;
  for (const { waitingSince, startedAt } of pods) {
    if (waitingSince !== null && waitingSince >= since) {
      waited += 1;
      if (startedAt !== null) {
        waits.push(Math.max(0, startedAt - waitingSince) / 1_000);
      }
    }
  }
  const end = (until - since) / 1_000;
  const cost = costOf(stretches, played, counted, end);
  return {
    stretches,
    cost,
    figures: {
      ...nodeFigures(stretches, played, cost, end),
      waited,
      waits: percentiles(waits),
      ...evictionFigures(period),
    },
  };
}

function evictionFigures({
  pods,
  hasDecisions,
}: ObservedPeriod): Pick<BacktestFigures, 'evictions' | 'evictionsOfJobs' | 'lostCoreHours'> {
  if (!hasDecisions) {
    return { evictions: null, evictionsOfJobs: null, lostCoreHours: null };
  }
  const evicted = pods.filter(({ evictedAt, end }) => evictedAt !== null && end !== null);
  const ofJobs = evicted.filter(({ pod }) => pod.controller?.kind === 'Job');
  return {
    evictions: evicted.length,
    evictionsOfJobs: ofJobs.length,
    lostCoreHours: thousandths(sum(ofJobs.map(lostBy))),
  };
}

function lostBy({ pod, startedAt, end }: ObservedPod): number {
  if (startedAt === null || end === null) {
    return 0;
  }
  return ((podRequests(pod)[CPU] ?? 0) / 1_000) * (Math.max(0, end - startedAt) / 3_600_000);
}

/** Counts what a run did, without the nodes in no node group. */
export function countRun(recording: Recording, played: PlayedLoad): PeriodFigures {
  const { seconds: end, pods, pendingToRunning, evictions } = recording.summary;
  const counted = countedGroups(played);
  const stretches = livesOf(recording, end)
    .map((life) => stretchOf(life, end))
    .filter(({ group }) => counted.has(group));
  const cost = costOf(stretches, played, counted, end);
  return {
    stretches,
    cost,
    figures: {
      ...nodeFigures(stretches, played, cost, end),
      waited: pods.waited,
      waits: pendingToRunning,
      evictions: evictions.pods,
      evictionsOfJobs: evictions.ofJobs,
      lostCoreHours: evictions.lostCoreHours,
    },
  };
}

const stretchOf = ({ group, launched, gone }: Life, end: number): NodeStretch => ({
  group: group as GroupName,
  from: launched ?? 0,
  to: gone ?? end,
});

type OfNodes = Pick<BacktestFigures, 'usd' | 'nodeHours' | 'cpuHours' | 'nodesLaunched' | 'nodesGone' | 'nodesMost'>;

function nodeFigures(
  stretches: readonly NodeStretch[],
  { load }: PlayedLoad,
  { usd }: NodesCost,
  end: number,
): OfNodes {
  const hours = hoursByGroup(stretches);
  const cpus = new Map(load.groups.map(({ name, capacity }) => [name, (capacity[CPU] ?? 0) / 1_000]));
  let size = 0;
  let most = 0;
  for (const { by } of changesOf(stretches, end)) {
    size += by;
    most = Math.max(most, size);
  }
  const cpuHours = [...hours].map(([group, nodeHours]) => getExisting(cpus, group) * nodeHours);
  return {
    usd: mapOptional(usd, thousandths),
    nodeHours: thousandths(sum([...hours.values()])),
    cpuHours: thousandths(sum(cpuHours)),
    nodesLaunched: stretches.filter(({ from }) => from > 0).length,
    nodesGone: stretches.filter(({ to }) => to < end).length,
    nodesMost: most,
  };
}

/** The groups that count: all but the fixed ones. */
const countedGroups = ({ load, fixed }: PlayedLoad): ReadonlySet<GroupName> =>
  new Set(load.groups.map(({ name }) => name)).difference(fixed);

/** The cost of nodes. A price that covers a number of nodes makes the mean price of a group depend on its size. */
function costOf(
  stretches: readonly NodeStretch[],
  { load }: PlayedLoad,
  counted: ReadonlySet<GroupName>,
  end: number,
): NodesCost {
  const sizes = new Map([...counted].map((group) => [group, 0]));
  const unused = meanPrices(load, sizes);
  const sums = new Map<GroupName, number>();
  const unknown = new Set<GroupName>();
  const changes: { readonly at: number; readonly by: number }[] = [];
  const times = [...Map.groupBy(changesOf(stretches, end), ({ at }) => at)];
  let rate = 0;
  for (const [index, [at, some]] of times.entries()) {
    some.forEach(({ group, by }) => addCount(sizes, group, by));
    const used = new Map([...sizes].filter(([, size]) => size > 0));
    const hours = ((times[index + 1]?.[0] ?? end) - at) / 3_600;
    let now = 0;
    for (const [group, price] of meanPrices(load, used)) {
      const usdPerHour = (price ?? 0) * getExisting(used, group);
      now += usdPerHour;
      addCount(sums, group, usdPerHour * hours);
      if (price === null) {
        unknown.add(group);
      }
    }
    changes.push({ at, by: now - rate });
    rate = now;
  }
  const hours = hoursByGroup(stretches);
  const prices = new Map(
    [...unused].map(([group, next]) => {
      const used = hours.get(group) ?? 0;
      const price = used > 0 ? (sums.get(group) ?? 0) / used : next;
      return [group, unknown.has(group) ? null : mapOptional(price, rounded)];
    }),
  );
  const hasPrice = [...prices.values()].some((price) => price !== null);
  return { prices, changes, usd: hasPrice ? sum([...sums.values()]) : null };
}

/** Launches and ends in the order of time. */
export const changesOf = (
  stretches: readonly NodeStretch[],
  end: number,
): readonly { readonly at: number; readonly by: 1 | -1; readonly group: GroupName }[] =>
  [
    ...stretches.map(({ from, group }) => ({ at: from, by: 1 as const, group })),
    ...stretches.filter(({ to }) => to < end).map(({ to, group }) => ({ at: to, by: -1 as const, group })),
  ].toSorted((a, b) => a.at - b.at || a.by - b.by);

/** The node-hours of a group. */
export const hoursOfGroup = ({ stretches }: PeriodFigures, group: GroupName): number =>
  thousandths(hoursByGroup(stretches).get(group) ?? 0);

const hoursByGroup = (stretches: readonly NodeStretch[]): ReadonlyMap<GroupName, number> =>
  countBy(
    stretches,
    ({ group }) => group,
    ({ from, to }) => (to - from) / 3_600,
  );

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const thousandths = (value: number): number => Number(value.toFixed(3));
