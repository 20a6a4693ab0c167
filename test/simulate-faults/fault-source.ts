import type { ProviderName } from '../../core/model/provider.ts';
import { type Chance, chanceFor } from '../../providers/simulated/chance.ts';
import { type Counts, createCounter } from './counts.ts';

/** What may go wrong, and how often a run is to see it go wrong, relative to the usual. */
export const FAULT_KINDS = [
  'death',
  'api error',
  'lost answer',
  'slow call',
  'stale description',
  'machine',
  'node',
  'no capacity',
  'quota',
  'message',
  'clock skew',
  'rival',
  'refusal',
  // Of Cluster API.
  'conflict',
  'lost mark',
  'stuck machine',
  'failed machine',
  'outsider',
  'pause',
  'notice',
  'outage',
  'concurrency',
  'bounds',
  'zone rebalance',
  'refresh',
  'group',
  'stuck pod',
  'node object',
  'hang',
  'checkpoint',
  'budget lag',
  'slow controllers',
  'state',
  'standby',
  'tags',
  'protection',
  'queue',
  'process',
  'launch hook',
  'foreign hook',
  // Of the API server, as its clients see it.
  'write conflict',
  'slow list',
  'unreadable object',
  'node name',
  'slow detach',
  // What soon follows another fault, or a change that functions make.
  'meeting',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** What groups of the other provider alone can have. */
export const NEVER_ON: Readonly<Record<ProviderName, readonly FaultKind[]>> = {
  aws: ['conflict', 'lost mark', 'stuck machine', 'failed machine'],
  // prettier-ignore
  clusterapi: [
    'stale description', 'notice', 'bounds', 'zone rebalance', 'refresh', 'group', 'standby', 'tags', 'protection', 'process',
    'launch hook', 'foreign hook', 'node name', 'meeting',
  ],
};

/**
 * All of a run's misfortune. Every fault that strikes has a number, and a run may be told to let only that many of the first
 * strike: up to there it is the same run.
 */
export interface FaultSource {
  /**
   * Does a fault strike here?
   *
   * @param probability at the usual intensity.
   * @param pick makes the fault; `null` takes it back, and it does not count.
   * @param words for the event log.
   */
  readonly strike: <T>(
    kind: FaultKind,
    probability: number,
    pick: (chance: Chance) => T | null,
    words: (fault: T) => string,
  ) => T | null;
  /** From now on nothing goes wrong. */
  readonly stop: () => void;
  readonly stopped: () => boolean;
  /** How many have struck. */
  readonly count: () => number;
  /** How many of each kind have. */
  readonly counts: () => Counts;
}

export interface FaultSourceOptions {
  readonly seed: number;
  readonly provider: ProviderName;
  /** The most faults that strike. */
  readonly limit: number;
  /** Kinds that never strike. */
  readonly without?: readonly FaultKind[];
  /** Nothing strikes now; absent: it always may. */
  readonly pauses?: () => boolean;
  readonly onStrike: (number: number, kind: FaultKind, words: string) => void;
}

/** Some kinds never, some often: faults that meet each other find more than an even rain of all of them. */
const INTENSITIES = [0, 0.3, 1, 1, 3];
/** What others do to groups and nodes, and what is out of order for minutes: a run has some of it, or all excuses would meet. */
const INTENSITIES_OUTSIDE = [0, 0, 0, 1, 3];
const OUTSIDE: ReadonlySet<FaultKind> = new Set([
  'outsider',
  'pause',
  'outage',
  'concurrency',
  'bounds',
  'zone rebalance',
  'refresh',
  'group',
  'stuck pod',
  'node object',
  'state',
  'standby',
  'tags',
  'protection',
  'queue',
  'process',
  'launch hook',
  'foreign hook',
  'write conflict',
  'slow list',
  'unreadable object',
  'node name',
]);
/** How faults come in a run: those of functions not at all, all of them in bursts, or all the time. */
export type Pattern = 'quiet' | 'bursts' | 'rain';
const PATTERNS: readonly Pattern[] = ['quiet', 'bursts', 'rain'];

/** A third of the runs each. */
export const patternOf = (seed: number): Pattern => PATTERNS[seed % 3]!;

const BURST_MS = 5 * 60_000;
const PAUSE_MS = 10 * 60_000;

/** @param ms since the start of the run. */
export const isBetweenBursts = (ms: number): boolean => ms % (BURST_MS + PAUSE_MS) >= BURST_MS;

/** The part of the runs in which instances are sound and nobody else sets sizes: most invariants are armed in them. */
const CALM = 0.4;
const OF_SUPPLY: ReadonlySet<FaultKind> = new Set([
  'machine',
  'node',
  'no capacity',
  'quota',
  'stuck machine',
  'failed machine',
  'outsider',
  'notice',
  'bounds',
  'zone rebalance',
  'refresh',
  'group',
  'node object',
  'standby',
  'tags',
  'protection',
  'process',
  'launch hook',
  'foreign hook',
  'unreadable object',
  'meeting',
]);

export function createFaultSource({
  seed,
  provider,
  limit,
  without = [],
  pauses = () => false,
  onStrike,
}: FaultSourceOptions): FaultSource {
  const intensityOf = (kind: FaultKind): number => {
    const drawn = chanceFor(seed, `intensity ${kind}`).within({ min: 0, max: 4 });
    return (provider === 'aws' && OUTSIDE.has(kind) ? INTENSITIES_OUTSIDE : INTENSITIES)[drawn]!;
  };
  const calm = chanceFor(seed, 'calm').next() < CALM;
  const kinds = new Map(
    FAULT_KINDS.map((kind) => [
      kind,
      {
        chance: chanceFor(seed, `fault ${kind}`),
        intensity: without.includes(kind) || (calm && OF_SUPPLY.has(kind)) ? 0 : intensityOf(kind),
      },
    ]),
  );
  const counter = createCounter(FAULT_KINDS);
  let count = 0;
  let stopped = false;
  return {
    strike: (kind, probability, pick, words) => {
      const { chance, intensity } = kinds.get(kind)!;
      if (stopped || pauses() || count >= limit || chance.next() >= probability * intensity) {
        return null;
      }
      const fault = pick(chance);
      if (fault !== null) {
        count += 1;
        counter.note(kind);
        onStrike(count, kind, words(fault));
      }
      return fault;
    },
    stop: () => {
      stopped = true;
    },
    stopped: () => stopped,
    count: () => count,
    counts: counter.counts,
  };
}
