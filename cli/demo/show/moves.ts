import { type TimelineEntry, handle, type Handlers } from '@outrigger/simulation/recording/recording.ts';

/** Evictions of a workload's pods in close succession. Times are seconds from the start. */
export interface Move {
  readonly workload: string;
  readonly since: number;
  /** The last eviction. */
  readonly until: number;
  readonly pods: number;
  /** How often a budget put an eviction off. */
  readonly refused: number;
}

/** Evictions with more seconds than this between them are separate moves. */
const CLOSELY = 60;

/** The evictions of a recording, by workload, in the order of time. */
export function movesOf(timeline: readonly TimelineEntry[]): ReadonlyMap<string, readonly Move[]> {
  const moves = new Map<string, Move[]>();
  const at = (workload: string, time: number, change: (move: Move) => Move): void => {
    const all = moves.get(workload) ?? [];
    const last = all.at(-1);
    const goesOn = last !== undefined && time - last.until <= CLOSELY;
    const move = goesOn ? last : { workload, since: time, until: time, pods: 0, refused: 0 };
    moves.set(workload, [...(goesOn ? all.slice(0, -1) : all), change(move)]);
  };
  const onEntry: Handlers<void> = {
    PodEvicted: ({ workload, at: time }) =>
      at(workload, time, (move) => ({ ...move, until: time, pods: move.pods + 1 })),
    EvictionRefused: ({ workload, at: time }) =>
      at(workload, time, (move) => ({ ...move, until: time, refused: move.refused + 1 })),
  };
  for (const entry of timeline) {
    handle(onEntry, entry);
  }
  return moves;
}
