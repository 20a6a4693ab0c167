import type { Decision } from '../../../core/model/decision.ts';
import type { ClusterName } from '../../../core/model/names.ts';
import type { Commit, StoredDrain } from '../../../core/model/ports.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { EpochMs } from '../../../core/model/time.ts';
import type { RememberedCluster } from '../../../providers/memory/store.ts';
import type { SimulatedWorld } from '../../../providers/simulated/world.ts';
import type { WorldEvent } from '../../../providers/simulated/world-event.ts';
import type { FaultScenario } from '../scenario.ts';

/** What an invariant may look at: the true state of everything, whatever the functions are told. */
export interface Stage {
  readonly scenario: FaultScenario;
  readonly cluster: ClusterName;
  readonly world: SimulatedWorld;
  /** What the store holds. */
  readonly remembered: () => RememberedCluster | null;
  readonly drains: () => readonly StoredDrain[];
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
  /** A drain has been stored; `before` is `null` for a new one. */
  readonly drain?: (stored: StoredDrain, before: StoredDrain | null) => void;
  /** A function has failed, and not by its death. */
  readonly failed?: (invocation: string, error: unknown) => void;
  /** Three whole evaluations have been made since the last fault. */
  readonly evaluatedAgain?: () => void;
  /** Nothing more will happen: the cluster is at rest, or time is up. */
  readonly ended?: (atRest: boolean) => void;
}

export interface Invariant {
  /** What must hold, in words. */
  readonly name: string;
  /** @param violate reports that it does not; the run ends then. */
  readonly watch: (stage: Stage, violate: (what: string) => void) => Watch;
}

export interface Violation {
  readonly invariant: string;
  readonly what: string;
  readonly at: EpochMs;
}
