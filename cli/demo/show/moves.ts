import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { type TimelineEntry, handle, type Handlers } from '@outrigger/simulation/recording/recording.ts';

/** Evictions of a workload's pods in close succession. Times are seconds from the start. */
export interface Move {
  readonly since: number;
  /** The last eviction, or the last that a budget put off. */
  until: number;
  /** Pods that were evicted. */
  pods: number;
}

/** Evictions with more seconds than this between them are separate moves. */
const CLOSELY = 60;

/** The evictions of a recording, by workload, in the order of time. */
export function movesOf(timeline: readonly TimelineEntry[]): ReadonlyMap<string, readonly Move[]> {
  const moves = new Map<string, Move[]>();
  const addEviction = (workload: string, at: number, pods: number): void => {
    const all = getOrMake(moves, workload, () => []);
    const last = all.at(-1);
    if (last === undefined || at - last.until > CLOSELY) {
      all.push({ since: at, until: at, pods });
    } else {
      last.until = at;
      last.pods += pods;
    }
  };
  const onEntry: Handlers<void> = {
    PodEvicted: ({ workload, at }) => addEviction(workload, at, 1),
    EvictionRefused: ({ workload, at }) => addEviction(workload, at, 0),
  };
  for (const entry of timeline) {
    handle(onEntry, entry);
  }
  return moves;
}
