import type { Decision } from '../../../core/model/decision.ts';
import type { Intent, IntentStatus } from '../../../core/model/intent.ts';
import type { Message } from '../../../core/model/message.ts';
import type { ClusterName, NodeName } from '../../../core/model/values/names.ts';
import type { Commit } from '../../../core/ports/state-store.ts';
import type { StoredDrain } from '../../../core/model/drain.ts';
import type { ProviderName } from '../../../core/model/provider.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import type { RememberedCluster } from '../../../providers/memory/store.ts';
import type { SimulatedWorld } from '../../../simulation/world.ts';
import type { WorldEvent } from '../../../simulation/world-event.ts';
import type { Announced, Announcements } from '../announcements.ts';
import type { Orders } from '../orders.ts';
import type { Strikes } from '../strikes.ts';
import type { Assumption, FaultScenario } from '../fault-scenario.ts';

/** The true state of everything, which an invariant may read, whatever the functions are told. */
export interface Stage {
  readonly scenario: FaultScenario;
  readonly cluster: ClusterName;
  readonly world: SimulatedWorld;
  /** Nodes that are closed because they, or pods on them, cannot be read now. */
  readonly unread: () => ReadonlySet<NodeName>;
  /** Orders that have not ended yet. */
  readonly orders: Pick<Orders, 'open' | 'inHand' | 'lostAt' | 'removalsOf'>;
  /** Content of the store: what Outrigger believes, and no measure of what is true. */
  readonly remembered: () => RememberedCluster | null;
  /** Until when what had been learnt before was not known, since what was stored was lost; before all time where nothing was. */
  readonly forgottenAt: () => number;
  readonly drains: () => readonly StoredDrain[];
  /** Announcements of AWS. */
  readonly announcements: Pick<Announcements, 'of'>;
  /** The faults that have struck. */
  readonly strikes: Omit<Strikes, 'note' | 'noteSkew'>;
}

/** A condition that must hold whatever goes wrong. The simulation calls each defined function at the stated moment. */
export interface Watch {
  /** After each step of the world. */
  readonly step?: () => void;
  readonly event?: (event: WorldEvent) => void;
  /** An evaluation has decided; what it decides is not committed yet. */
  readonly decided?: (scenario: Scenario, decision: Decision) => void;
  /** A decision has been committed. */
  readonly committed?: (commit: Commit) => void;
  /** An intent has ended, otherwise than by a commit. */
  readonly intentEnded?: (intent: Intent, status: IntentStatus) => void;
  /** A drain has been stored; `before` is `null` for a new one. */
  readonly drain?: (stored: StoredDrain, before: StoredDrain | null) => void;
  readonly message?: (message: Message) => void;
  /** A call of a function's, as `drains.save`, has been answered. */
  readonly answered?: (invocation: string, call: string, answer: unknown) => void;
  /** A function has taken in an event about an instance. */
  readonly taken?: (announced: Announced) => void;
  /** A function has failed, and not by its death, or has caught an error and goes on. */
  readonly failed?: (invocation: string, error: unknown) => void;
  /** Nothing more will happen: the cluster is at rest, or time is up. */
  readonly ended?: (atRest: boolean) => void;
}

export interface Invariant {
  /** The condition, in words. */
  readonly name: string;
  /** The invariant is not checked in a run that breaks one of these assumptions. */
  readonly assumes?: readonly Assumption[];
  /** Providers on which two hundred runs have cases; absent: all. */
  readonly on?: readonly ProviderName[];
  /**
   * @param violate reports that it does not hold; the run ends then.
   * @param count notes a case – an event, or a look – in which the subject of the invariant is there, and whether the invariant
   *   is armed: whether it would be violated if the product were wrong now.
   */
  readonly watch: (stage: Stage, violate: (what: string) => void, count: (isArmed: boolean) => void) => Watch;
}

/** How many cases an invariant had, and in how many of these it could have failed. */
export interface Arming {
  readonly cases: number;
  readonly armed: number;
}

/** The sums over several runs, by the names of the invariants. */
export function summedArmings(all: Iterable<Readonly<Record<string, Arming>>>): ReadonlyMap<string, Arming> {
  const sums = new Map<string, Arming>();
  for (const one of all) {
    for (const [name, { cases, armed }] of Object.entries(one)) {
      const before = sums.get(name) ?? { cases: 0, armed: 0 };
      sums.set(name, { cases: before.cases + cases, armed: before.armed + armed });
    }
  }
  return sums;
}

/** Less than this share of the cases armed: the invariant shows too little. */
const LEAST_ARMED = 0.1;
/** A share of fewer cases is chance. */
const ENOUGH_CASES = 100;

/** Faults in the arming of invariants over a batch of many runs on a provider, in words. */
export const unarmed = (
  invariants: readonly Invariant[],
  provider: ProviderName,
  armings: ReadonlyMap<string, Arming>,
): readonly string[] =>
  invariants.flatMap(({ name, on = ['aws', 'clusterapi'] }) => {
    const { cases, armed } = armings.get(name) ?? { cases: 0, armed: 0 };
    if (cases === 0) {
      return on.includes(provider) ? [`${name}: no case`] : [];
    }
    return cases >= ENOUGH_CASES && armed < LEAST_ARMED * cases ? [`${name}: armed in ${armed} of ${cases} cases`] : [];
  });

export interface Violation {
  readonly invariant: string;
  readonly what: string;
  readonly at: EpochMs;
}
