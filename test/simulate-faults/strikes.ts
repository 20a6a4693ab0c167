import type { EpochMs } from '../../core/model/values/time.ts';
import { FAULT_KINDS, type FaultKind, hasTrait } from './fault-source.ts';

/** Faults that may keep functions from what they do. */
export const OF_FUNCTIONS = FAULT_KINDS.filter((kind) => !hasTrait(kind, 'world'));

/**
 * How long what has struck may keep them, in milliseconds. A wake-up whose function has failed comes again after a minute,
 * and holds up those behind it; a clock that is off is that of one function, for as long as it runs.
 */
const LASTS_MS: Partial<Readonly<Record<FaultKind, number>>> = {
  death: 75_000,
  'api error': 75_000,
  'lost answer': 75_000,
  'clock skew': 75_000,
  'slow call': 40_000,
  // It ends at the latest when its function's time is up, and a wake-up comes again a minute later.
  hang: 135_000,
  outage: 375_000,
  queue: 975_000,
  concurrency: 75_000,
  'unreadable object': 315_000,
};
const LASTS_ELSE_MS = 10_000;

/** The record of the faults that have struck in a run. */
export interface Strikes {
  readonly note: (kind: FaultKind) => void;
  readonly noteSkew: (ms: number) => void;
  /** How far the clock of a function has been off at most, in milliseconds. */
  readonly furthestSkew: () => number;
  /** When a fault of this kind has last struck; before all time where none has. */
  readonly last: (kind: FaultKind) => number;
  /** Until when what has struck may keep functions from their work. */
  readonly troubledUntil: () => number;
}

export function recordStrikes(now: () => EpochMs): Strikes {
  const times = new Map<FaultKind, number>();
  let furthestSkew = 0;
  const last = (kind: FaultKind): number => times.get(kind) ?? Number.NEGATIVE_INFINITY;
  return {
    note: (kind) => {
      times.set(kind, now());
    },
    noteSkew: (ms) => {
      furthestSkew = Math.max(furthestSkew, Math.abs(ms));
    },
    furthestSkew: () => furthestSkew,
    last,
    troubledUntil: () => Math.max(...OF_FUNCTIONS.map((kind) => last(kind) + (LASTS_MS[kind] ?? LASTS_ELSE_MS))),
  };
}
