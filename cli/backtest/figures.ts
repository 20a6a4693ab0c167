import { podRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import { countBy } from '@outrigger/core/model/values/counts.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { CPU } from '@outrigger/core/model/values/resources.ts';
import { type Life, livesOf } from '@outrigger/simulation/recording/lives.ts';
import type { Percentiles, Recording } from '@outrigger/simulation/recording/recording.ts';
import { percentiles } from '@outrigger/simulation/recording/summarize.ts';
import { nodeStretches, type StretchOfNode } from './node-stretches.ts';
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

/** Figures, and the instances that they were counted from. */
export interface PeriodFigures {
  readonly figures: BacktestFigures;
  readonly stretches: readonly NodeStretch[];
}

/** A node of a group. */
export interface GroupRate {
  /** USD per hour; `null` where unknown. */
  readonly price: number | null;
  readonly cpus: number;
}

/** The node groups that count. */
type Rates = ReadonlyMap<GroupName, GroupRate>;

/** Counts what a history says. */
export function countPeriod(period: ObservedPeriod, rates: Rates): PeriodFigures {
  const { since, until, pods } = period;
  const stretches = nodeStretches(period).filter(
    (one): one is StretchOfNode & NodeStretch => one.group !== null && rates.has(one.group),
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
  return {
    stretches,
    figures: {
      ...nodeFigures(stretches, rates, (until - since) / 1_000),
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
export function countRun(recording: Recording, rates: Rates): PeriodFigures {
  const { seconds: end, pods, pendingToRunning, evictions } = recording.summary;
  const stretches = livesOf(recording, end)
    .map((life) => stretchOf(life, end))
    .filter(({ group }) => rates.has(group));
  return {
    stretches,
    figures: {
      ...nodeFigures(stretches, rates, end),
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

function nodeFigures(stretches: readonly NodeStretch[], rates: Rates, end: number): OfNodes {
  const hours = hoursByGroup(stretches);
  const costs = [...hours].map(([group, nodeHours]) => (rates.get(group)?.price ?? 0) * nodeHours);
  let size = 0;
  let most = 0;
  for (const { by } of changesOf(stretches, end)) {
    size += by;
    most = Math.max(most, size);
  }
  const hasPrice = [...rates.values()].some(({ price }) => price !== null);
  const cpuHours = [...hours].map(([group, nodeHours]) => (rates.get(group)?.cpus ?? 0) * nodeHours);
  return {
    usd: hasPrice ? thousandths(sum(costs)) : null,
    nodeHours: thousandths(sum([...hours.values()])),
    cpuHours: thousandths(sum(cpuHours)),
    nodesLaunched: stretches.filter(({ from }) => from > 0).length,
    nodesGone: stretches.filter(({ to }) => to < end).length,
    nodesMost: most,
  };
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
