import type { GroupName, NodeName } from './values/names.ts';
import { type DurationMs, type EpochMs, minutes } from './values/time.ts';

/** The value of `scaleDownUnneededTime` with which each node group learns its own. */
export const AUTO = 'auto';

/** The limits of a time that is learned, and what it is before anything is. */
export const SHORTEST_UNNEEDED_TIME: DurationMs = minutes(1);
export const LONGEST_UNNEEDED_TIME: DurationMs = minutes(10);
export const FIRST_UNNEEDED_TIME: DurationMs = minutes(2);

/** The learned unneeded time of a node group. */
export interface LearnedTime {
  readonly group: GroupName;
  /** For how long its nodes must be unneeded. */
  readonly time: DurationMs;
  /** From a scale-up until its nodes are ready; `null` before one was seen. */
  readonly boot: DurationMs | null;
  /** Number of evaluations that removed nodes of the group. */
  readonly removals: number;
  /** After how many of these nodes of it were launched again soon. */
  readonly relaunched: number;
  /** Nodes of which it is not known yet whether they are launched again soon, by name. */
  readonly watched: readonly WatchedRemoval[];
}

export interface WatchedRemoval {
  readonly node: NodeName;
  readonly at: EpochMs;
}
