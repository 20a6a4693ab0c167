import type { Decision } from '../../../core/model/decision.ts';
import type { Intent, IntentStatus } from '../../../core/model/intent.ts';
import type { ClusterName, NodeName } from '../../../core/model/values/names.ts';
import type { Commit } from '../../../core/ports/state-store.ts';
import type { StoredDrain } from '../../../core/model/drain.ts';
import type { ProviderName } from '../../../core/model/provider.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import type { RememberedCluster } from '../../../providers/memory/store.ts';
import type { SimulatedWorld } from '../../../providers/simulated/world.ts';
import type { WorldEvent } from '../../../providers/simulated/world-event.ts';
import type { Announced, Announcements } from '../announcements.ts';
import type { Orders } from '../orders.ts';
import type { Outages } from '../outages.ts';
import type { Refusals } from '../refusals.ts';
import type { Assumption, FaultScenario } from '../scenario.ts';
import type { Strikes } from '../strikes.ts';

/** What an invariant may read: the true state of everything, whatever the functions are told. */
export interface Stage {
  readonly scenario: FaultScenario;
  readonly cluster: ClusterName;
  readonly world: SimulatedWorld;
  /** Nodes that are closed because they, or pods on them, cannot be read now. */
  readonly unread: () => ReadonlySet<NodeName>;
  /** What has been ordered and not ended yet. */
  readonly orders: Pick<Orders, 'open' | 'openAsRead' | 'inHand' | 'lostAt' | 'removalsOf'>;
  /** What the store holds: what Outrigger believes, and no measure of what is true. */
  readonly remembered: () => RememberedCluster | null;
  /** Until when what had been learnt before was not known, since what was stored was lost; before all time where nothing was. */
  readonly forgottenAt: () => number;
  readonly drains: () => readonly StoredDrain[];
  /** What AWS has announced. */
  readonly announcements: Pick<Announcements, 'of' | 'returnedAt'>;
  readonly outages: Pick<Outages, 'lastedSince'>;
  /** What the cloud has refused. */
  readonly refusals: Refusals;
  /** The faults that have struck. */
  readonly strikes: Omit<Strikes, 'note' | 'noteSkew'>;
}

/** Something that must hold whatever goes wrong. Each part that is there is called when its time comes. */
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
  /** A function has taken in an event about an instance. */
  readonly taken?: (announced: Announced) => void;
  /** A function has failed, and not by its death, or has caught an error and goes on. */
  readonly failed?: (invocation: string, error: unknown) => void;
  /** Three whole evaluations have been made since the last fault. */
  readonly evaluatedAgain?: () => void;
  /** Nothing more will happen: the cluster is at rest, or time is up. */
  readonly ended?: (atRest: boolean) => void;
}

export interface Invariant {
  /** What must hold, in words. */
  readonly name: string;
  /** It cannot hold in a run in which one of these does not hold. */
  readonly assumes?: readonly Assumption[];
  /** Among two hundred runs on these providers it judges cases: where it judges none, it shows nothing. */
  readonly judgesOn?: readonly ProviderName[];
  /**
   * @param violate reports that it does not; the run ends then.
   * @param judge counts one case that was checked. An invariant that excuses some cases – what there was has changed, say –
   *   counts all of them, so that one which excuses nearly everything is found out.
   */
  readonly watch: (stage: Stage, violate: (what: string) => void, judge: (excused: boolean) => void) => Watch;
}

/** The names of those that are to judge cases on a provider, and have judged none. */
export const idle = (
  invariants: readonly Invariant[],
  provider: ProviderName,
  judged: ReadonlyMap<string, Judged>,
): readonly string[] =>
  invariants.flatMap(({ name, judgesOn = [] }) =>
    judgesOn.includes(provider) && (judged.get(name)?.cases ?? 0) === 0 ? name : [],
  );

/** How many cases an invariant has checked, and how many of these it has excused. */
export interface Judged {
  readonly cases: number;
  readonly excused: number;
}

/** The counts of several runs together, by the invariants' names. */
export function together(counts: Iterable<Readonly<Record<string, Judged>>>): ReadonlyMap<string, Judged> {
  const sums = new Map<string, Judged>();
  for (const one of counts) {
    for (const [name, { cases, excused }] of Object.entries(one)) {
      const before = sums.get(name) ?? { cases: 0, excused: 0 };
      sums.set(name, { cases: before.cases + cases, excused: before.excused + excused });
    }
  }
  return sums;
}

export interface Violation {
  readonly invariant: string;
  readonly what: string;
  readonly at: EpochMs;
}
