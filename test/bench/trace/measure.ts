import type { Recording } from '../../../simulation/recording/recording.ts';
import { type Life, livesOf } from '../../../simulation/recording/lives.ts';
import { type MovedFor, movesIn } from './moves.ts';

/** Lifetime in seconds below which a removed node was hardly worth its boot. */
const SHORT_LIFE = 15 * 60;

/** Results of a run of a load with a setting. */
export interface Measured {
  readonly load: string;
  readonly setting: string;
  readonly usd: number;
  /** Costs of the fractional bound, and of repacking every ten minutes. */
  readonly bound: number;
  readonly repacking: number;
  readonly nodeHours: number;
  readonly evictions: number;
  readonly evictionsFor: Readonly<Partial<Record<MovedFor, number>>>;
  readonly evictedOfJobs: number;
  /** Core-hours that evicted pods of Jobs had run, and their share of what all Jobs ask for. */
  readonly lostCoreHours: number;
  readonly lostShare: number;
  /** Seconds until they ran, of the pods that the scheduler found no node for at first. */
  readonly waitP50: number;
  readonly waitP95: number;
  readonly waited: number;
  readonly pending: number;
  readonly bought: number;
  readonly removed: number;
  readonly goneWithin15m: number;
  /** Places of pods in their workloads that were evicted twice within an hour: for any reason, and both times by consolidation. */
  readonly movedTwiceWithin1h: number;
  readonly consolidatedTwiceWithin1h: number;
  /** Hours until no node of the instance type with the highest price was left; `null` if there was none at the start. */
  readonly dearestGone: number | null;
  readonly cpuSeconds: number;
}

/** Figures of a run alone, without the load. */
export type OfRun = Omit<Measured, 'load' | 'setting' | 'bound' | 'repacking' | 'lostShare' | 'cpuSeconds'>;

/** Counts what a recording has. */
export function measured({ nodeGroups, timeline, summary }: Recording): OfRun {
  const { evictions, pendingToRunning, pods, nodes, nodeHours, cost, seconds } = summary;
  const lives = livesOf({ nodeGroups, timeline }, seconds);
  const short = lives.filter(
    ({ launched, gone }) => launched !== null && gone !== null && gone - launched <= SHORT_LIFE,
  );
  const moves = movesIn(timeline);
  return {
    usd: cost!,
    nodeHours,
    evictions: evictions.pods,
    evictionsFor: moves.evictions,
    evictedOfJobs: evictions.ofJobs,
    lostCoreHours: evictions.lostCoreHours,
    waitP50: pendingToRunning?.p50 ?? 0,
    waitP95: pendingToRunning?.p95 ?? 0,
    waited: pods.waited,
    pending: pods.pending,
    bought: nodes.bought,
    removed: nodes.empty + nodes.drained,
    goneWithin15m: short.length,
    movedTwiceWithin1h: moves.twice,
    consolidatedTwiceWithin1h: moves.twiceByConsolidation,
    dearestGone: hoursOfDearest(nodeGroups, lives, seconds),
  };
}

/** @param lives those of the start first, the others in the order of their launch. */
function hoursOfDearest(groups: Recording['nodeGroups'], lives: readonly Life[], end: number): number | null {
  const highest = Math.max(...groups.map(({ price }) => price ?? 0));
  const dearest = new Set(groups.filter(({ price }) => price === highest).map(({ name }) => name));
  let until = 0;
  for (const { launched, gone } of lives.filter(({ group }) => dearest.has(group))) {
    until = (launched ?? 0) <= until ? Math.max(until, gone ?? end) : until;
  }
  return until === 0 ? null : until / 3_600;
}
