import type { Decision, Evaluation } from '../model/decision.ts';
import type { Intent, IntentEnd, PersistedCluster } from '../model/intent.ts';
import type { ClusterName } from '../model/values/names.ts';
import type { NoticeStore } from './notice-store.ts';
import type { PauseStore } from './pause-store.ts';
import type { State } from '../model/state.ts';
import type { EpochMs } from '../model/values/time.ts';

export interface Commit {
  readonly expectedVersion: number;
  readonly now: EpochMs;
  readonly state: State;
  readonly intents: readonly Intent[];
  /** Ended intents that this state has taken into account: they are not loaded again. */
  readonly settled: readonly string[];
  readonly decision: Decision;
}

export type CommitOutcome = { readonly kind: 'committed'; readonly version: number } | { readonly kind: 'conflict' };

/** A claim to an intent, for a time. */
export interface IntentClaim {
  readonly now: EpochMs;
  readonly until: EpochMs;
}

/** The stored state of clusters. */
export interface StateStore extends NoticeStore, PauseStore {
  load(cluster: ClusterName, signal?: AbortSignal): Promise<PersistedCluster>;
  /** The intents that are pending, claimed or not, and nothing else: a small part of what `load` reads. */
  pendingIntents(cluster: ClusterName, signal?: AbortSignal): Promise<readonly Intent[]>;
  /** Next state and intents together or not at all, and only without another commit in between. */
  commit(cluster: ClusterName, commit: Commit, signal?: AbortSignal): Promise<CommitOutcome>;
  /** Claims a pending intent; `null` when it is not pending or claimed already. */
  claimIntent(cluster: ClusterName, id: string, claim: IntentClaim, signal?: AbortSignal): Promise<Intent | null>;
  /**
   * Gives a claimed intent back for others to try at once.
   *
   * @param claimedUntil of the claim to give up: a later claim stays.
   */
  releaseIntent(cluster: ClusterName, id: string, claimedUntil: EpochMs, signal?: AbortSignal): Promise<void>;
  /** Ends an intent: once, and only from pending. */
  endIntent(cluster: ClusterName, id: string, end: IntentEnd, signal?: AbortSignal): Promise<void>;
  /**
   * The latest decision, for `explain`; `null` before the first.
   *
   * @param of the latest that says something about this part: of this part alone, or of the whole.
   */
  lastDecision(cluster: ClusterName, signal?: AbortSignal, of?: Evaluation): Promise<Decision | null>;
}
