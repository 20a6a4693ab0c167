import { ESTIMATES, IDLE_HOUR, idleMonth, type IdleNodes, PRICES, secondsOf, total } from '../../cli/cost/model.ts';
import { HOURS_A_MONTH } from '../../config/list-prices.ts';
import { type ClusterSize, SIZE_MEMORY_MIB } from '../../config/schema.ts';
import { WATCHED_RESOURCES } from '../../providers/kubernetes/read/reader.ts';

/** Cost of drains with this number of rounds each: an invocation each, and the message that brings it. */
export function drainsCost(drains: number, rounds: number): number {
  const gigabyteSeconds = (ESTIMATES.drainRoundSeconds * ESTIMATES.actuateMemoryMiB) / 1_024;
  const round = gigabyteSeconds * PRICES.lambdaGbSecond + PRICES.lambdaRequest + 3 * PRICES.sqsRequest;
  return drains * rounds * round;
}

/**
 * Additional cost of scans of scale-up that are `seconds` apart, less than a minute: each is sent, received, put off by an
 * invocation, received again and answered by one, of which an idle cluster needs the change check alone.
 */
export function shortScansMonth(seconds: number, nodes: IdleNodes, size: ClusterSize, isIdle: boolean): number {
  const scans = (3_600 / seconds) * HOURS_A_MONTH;
  const { scaleUpCheck, evaluation } = secondsOf(nodes, size);
  const each = ESTIMATES.putOffSeconds + scaleUpCheck + (isIdle ? 0 : evaluation);
  const functions = ((each * SIZE_MEMORY_MIB[size]) / 1_024) * PRICES.lambdaGbSecond + 2 * PRICES.lambdaRequest;
  // A batch a minute; each scan is received twice, put off and deleted.
  return scans * (functions + 4 * PRICES.sqsFifoRequest) + 60 * HOURS_A_MONTH * PRICES.sqsFifoRequest;
}

/** A snapshot of 150 000 pods, as `npm run bench:observe` measures it (docs/decisions/0031-lists-that-are-kept.md). */
export const SNAPSHOT = {
  pods: 150_000,
  bytes: 3_600_000,
  /** CPU time to write it, on a machine that does nothing else and on one that is busy: the function writes it when all else is done. */
  seconds: [0.35, 0.7],
} as const;

/** Lists that may be kept, of each of which a cold start asks for a snapshot. */
const CACHED_LISTS = WATCHED_RESOURCES.length;

/** Additional cost of snapshots of lists, if a list changes around the clock. Of an idle cluster nothing is stored. */
export const snapshotsMonth = () => ({
  /** Writes of one list, stored by each scheduled evaluation of scale-down. */
  puts: IDLE_HOUR.invocations['scale-down'] * HOURS_A_MONTH * PRICES.s3Put,
  /** Reads of all lists by a thousand cold starts. */
  thousandColdStarts: 1_000 * CACHED_LISTS * PRICES.s3Get,
  storage: (SNAPSHOT.bytes / 1024 ** 3) * PRICES.s3GigabyteMonth,
  /** Time of `size: large`, at least and at most. */
  time: SNAPSHOT.seconds.map(
    (seconds) =>
      IDLE_HOUR.invocations['scale-down'] *
      HOURS_A_MONTH *
      seconds *
      (SIZE_MEMORY_MIB.large / 1_024) *
      PRICES.lambdaGbSecond,
  ) as [number, number],
  /** The metric SnapshotsStored, which has a value then. */
  metric: PRICES.metricMonth,
});

/** How many times as long as estimated waits may be for a month to cost as much. */
export function waitsUpTo(usd: number, nodes: IdleNodes, size: ClusterSize): number {
  const [estimated, twice] = [1, 2].map((waits) => total(idleMonth(nodes, size, { waits }))) as [number, number];
  return 1 + (usd - estimated) / (twice - estimated);
}
