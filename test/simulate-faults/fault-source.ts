import type { ProviderName } from '../../core/model/provider.ts';
import { type Chance, chanceFor } from '../../simulation/chance.ts';
import { type Counts, createCounter } from './counts.ts';

/**
 * Trait of a kind of faults: acts of others, or what is out of order for minutes, which a run has some of, or all excuses would meet
 * (`others`); the supply of instances (`supply`); what happens in the world, and does not keep functions from what they do (`world`);
 * what groups of one provider alone can have.
 */
type Trait = 'others' | 'supply' | 'world' | 'aws' | 'clusterapi';

/** Kinds of faults, with their traits. */
const KINDS = {
  death: [],
  'api error': [],
  'lost answer': [],
  'slow call': [],
  'stale description': ['world', 'aws'],
  machine: ['world', 'supply'],
  node: ['world', 'supply'],
  'no capacity': ['world', 'supply'],
  quota: ['world', 'supply'],
  message: [],
  'clock skew': [],
  rival: [],
  refusal: ['world'],
  conflict: ['clusterapi'],
  'lost mark': ['clusterapi'],
  'stuck machine': ['world', 'supply', 'clusterapi'],
  'failed machine': ['world', 'supply', 'clusterapi'],
  outsider: ['world', 'others', 'supply'],
  pause: ['world', 'others'],
  notice: ['world', 'supply', 'aws'],
  outage: ['others'],
  concurrency: ['others'],
  bounds: ['world', 'others', 'supply', 'aws'],
  'zone rebalance': ['world', 'others', 'supply', 'aws'],
  group: ['world', 'others', 'supply', 'aws'],
  'stuck pod': ['world', 'others'],
  'node object': ['world', 'others', 'supply'],
  hang: [],
  'budget lag': ['world'],
  'slow controllers': ['world'],
  state: ['others'],
  standby: ['world', 'others', 'supply', 'aws'],
  tags: ['world', 'others', 'supply', 'aws'],
  protection: ['world', 'others', 'supply', 'aws'],
  queue: ['others'],
  process: ['world', 'others', 'supply', 'aws'],
  'launch hook': ['world', 'others', 'supply', 'aws'],
  'foreign hook': ['world', 'others', 'supply', 'aws'],
  // Faults of the API server, as its clients see it.
  'write conflict': ['others'],
  'slow list': ['others'],
  'unreadable object': ['others', 'supply'],
  'node name': ['world', 'others', 'aws'],
  'slow detach': ['world'],
  // Faults that soon follow another fault, or a change that functions make.
  meeting: ['world', 'supply'],
} as const satisfies Readonly<Record<string, readonly Trait[]>>;

export type FaultKind = keyof typeof KINDS;
export const FAULT_KINDS = Object.keys(KINDS) as readonly FaultKind[];
export const hasTrait = (kind: FaultKind, trait: Trait): boolean => (KINDS[kind] as readonly Trait[]).includes(trait);

/** Can groups of this provider not have it? */
export const isNeverOn = (provider: ProviderName, kind: FaultKind): boolean =>
  hasTrait(kind, provider === 'aws' ? 'clusterapi' : 'aws');

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
/** Intensities of faults by others. */
const INTENSITIES_OTHERS = [0, 0, 0, 1, 3];
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
    return (provider === 'aws' && hasTrait(kind, 'others') ? INTENSITIES_OTHERS : INTENSITIES)[drawn]!;
  };
  const calm = chanceFor(seed, 'calm').next() < CALM;
  const kinds = new Map(
    FAULT_KINDS.map((kind) => [
      kind,
      {
        chance: chanceFor(seed, `fault ${kind}`),
        intensity: without.includes(kind) || (calm && hasTrait(kind, 'supply')) ? 0 : intensityOf(kind),
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
