import type { Decision } from '../model/decision.ts';
import type { Options } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import type { ClusterName } from '../model/values/names.ts';
import type { EpochMs } from '../model/values/time.ts';

/** The part of an evaluation that was decided; `evaluation`: the whole evaluation. */
export type HistoryKind = 'scale-up' | 'scale-down' | 'evaluation';

/** A decision of the past in a line. */
export interface HistoryEntry {
  /** The version of the state that the decision was committed as; the versions of a cluster ascend. */
  readonly id: string;
  readonly at: EpochMs;
  readonly kind: HistoryKind;
  /** Does it order something: sizes, removals, repairs? */
  readonly changes: boolean;
  /** The decision's changes, in the words of the log line. */
  readonly did: string;
  /** Is there a scenario to replay it from, and why not: it was larger than an item, or decisions were sampled. */
  readonly scenario: 'kept' | 'too large' | 'sampled';
}

/** A decision of the past with its reasons. */
export interface HistoryDecision extends HistoryEntry {
  /** As it was stored: shortened where `omitted` says so. */
  readonly decision: Decision;
  /** The options that it was made with. */
  readonly settings: Options;
}

/** A decision of the past, and what it was made from. */
export interface HistoryRecord extends Omit<HistoryDecision, 'scenario'> {
  /** SHA-256 of the whole decision as it was made, in hexadecimal: a replay that has the same made the same decision. */
  readonly digest: string;
  /** The scenario of the decision; `null` where it was not kept. */
  readonly scenario: Scenario | null;
  readonly withoutScenario: Exclude<HistoryEntry['scenario'], 'kept'> | null;
}

/** A committed decision, as it was evaluated, with its exact scenario. */
export interface CommittedDecision {
  /** The version of the state that it was committed as. */
  readonly version: number;
  readonly scenario: Scenario;
  readonly decision: Decision;
}

/** The result of keeping a decision. */
export type HistoryResult =
  | { readonly kind: 'kept'; readonly scenario: HistoryEntry['scenario'] }
  /**
   * The decision says the same as the previous one; the option `decisionHistory` is 0; or this hour's bytes are used
   * up.
   */
  | { readonly kind: 'not kept'; readonly reason: 'nothing new' | 'off' | 'hour is full' }
  /** The decision could not be written. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** The period of the wanted decisions: of `since` and after, before `until`. */
export interface HistoryPeriod {
  /** Absent: all that are kept. */
  readonly since?: EpochMs | undefined;
  /** Absent: up to now. */
  readonly until?: EpochMs | undefined;
  /** The number of decisions, at most; absent: all. */
  readonly limit?: number | undefined;
}

/**
 * Decisions of the last days that said something new, with what they were made from. Evaluations write it and never read
 * it; its bytes per decision and per hour are bounded.
 */
export interface DecisionHistory {
  /** Keeps a decision, for as long as its option `decisionHistory` says. Rejects for an aborted signal alone. */
  add(cluster: ClusterName, committed: CommittedDecision, signal?: AbortSignal): Promise<HistoryResult>;
  /** The latest first, without decisions and scenarios. */
  list(cluster: ClusterName, period: HistoryPeriod, signal?: AbortSignal): Promise<readonly HistoryEntry[]>;
  /** The latest first, without scenarios. */
  decisions(cluster: ClusterName, period: HistoryPeriod, signal?: AbortSignal): Promise<readonly HistoryDecision[]>;
  /** `null` where the history has no decision with this id (any more). */
  get(cluster: ClusterName, id: string, signal?: AbortSignal): Promise<HistoryRecord | null>;
}

/** A history that keeps nothing. */
export const NO_HISTORY: DecisionHistory = {
  add: async () => ({ kind: 'not kept', reason: 'off' }),
  list: async () => [],
  decisions: async () => [],
  get: async () => null,
};
