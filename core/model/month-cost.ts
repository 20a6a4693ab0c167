import type { EpochMs } from './values/time.ts';

/** USD per hour of nodes that are there at the same time. */
export interface NodeRate {
  readonly usdPerHour: number;
  /** Number of nodes without a known price, which are not in it. */
  readonly unpriced: number;
}

/** The cost of all nodes in a month, and their rate since the cost was summed up. */
export interface MonthCost extends NodeRate {
  /** Its beginning, by UTC, as AWS bills. */
  readonly month: EpochMs;
  readonly usd: number;
  /** Hours of the month that `usd` is of: those in which the cluster was evaluated. */
  readonly hours: number;
  /** Hours of nodes without a known price, which are not in `usd`. */
  readonly unpricedHours: number;
  /** `usd` is the cost until then. */
  readonly at: EpochMs;
}
