import type { GroupName, InstanceId, NodeName, PodKey } from './values/names.ts';
import type { DrainBlocker } from './drain-blocker.ts';
import type { NoticeKind, TerminationHook } from './notice.ts';
import type { Pod } from './cluster/pod.ts';
import type { EpochMs } from './values/time.ts';

/**
 * The drain of one node, as it is stored between two steps. `core/drain` moves the drain on; the stored drain is the
 * truth, whatever drives it.
 */
export interface Drain {
  /** `<id of the intent that decided it>/<node>`: another attempt on the same node is another drain. */
  readonly id: string;
  readonly node: NodeName;
  /** UID of the Node object that was decided about: a later Node of the same name is another node. */
  readonly nodeUid: string;
  readonly group: GroupName;
  readonly instance: InstanceId;
  /** `empty`: nothing has to move; a pod that must move and arrives meanwhile ends the drain. */
  readonly kind: 'empty' | 'drain';
  readonly phase: DrainPhase;
  readonly createdAt: EpochMs;
  readonly phaseSince: EpochMs;
  /** Not before this is there anything to observe. */
  readonly nextAt: EpochMs;
  /** When the taint was last asked for, as long as the API server has not agreed: it may still come. */
  readonly taintAskedAt: EpochMs | null;
  /** Every pod that was asked to go, or has come back in place of one, in that order. */
  readonly evictions: readonly Eviction[];
  /** When the instance's end was asked for, unless the cloud has refused: it may be on its way out. */
  readonly terminateAskedAt: EpochMs | null;
  /** The reason that blocks the drain, in words, for people; `null` where it only waits for time to pass. */
  readonly waitingFor: string | null;
  /**
   * How many nodes of its group were decided to go with it, itself included: all of them go, or none. Absent where each goes
   * by itself.
   */
  readonly together?: number | undefined;
  /** The notice about the drain's instance; absent where the node is removed as unneeded. */
  readonly notice?: DrainNotice | undefined;
  /** How it ends: known from the moment that it begins to roll back, or that the instance is gone. */
  readonly outcome: DrainOutcome | null;
}

/** The cloud ends the instance anyway: nothing keeps the node, and what is not gone by the deadline goes with it. */
export interface DrainNotice {
  readonly kind: NoticeKind;
  readonly deadline: EpochMs;
  /** To be completed in place of a termination. */
  readonly hook: TerminationHook | null;
  /** When the hook's last heartbeat was asked for; absent before the first. */
  readonly heartbeatAt?: EpochMs | undefined;
}

/**
 * In this order, and `RollingBack` from any of them; `Removed` and `RolledBack` are ends (`core/drain/transitions.ts`).
 *
 * - `Tainting`: the node is to bear the taint that keeps pods away, cordon and label
 * - `Validating`: the scheduler is given time to see that, then all facts are checked again
 * - `Evicting`: pods are asked to go, group by group, and waited for, with their volumes
 * - `DeletionDelay`: `delay-deletion` annotations delay the termination
 * - `Terminating`: the instance is to be ended
 * - `AwaitingTermination`: until the cloud's list shows it on its way out
 */
export type DrainPhase =
  | 'Tainting'
  | 'Validating'
  | 'Evicting'
  | 'DeletionDelay'
  | 'Terminating'
  | 'AwaitingTermination'
  | 'RollingBack'
  | 'Removed'
  | 'RolledBack';

export interface Eviction {
  readonly pod: PodKey;
  readonly uid: string;
  /** As it was when it was asked to go, as far as re-planning reads it (`core/drain/evicted-pod.ts`). */
  readonly manifest: Pod;
  /**
   * The manifest lacks the pod's spec, which was too large to keep: the replacement pod is planned for once it exists.
   */
  readonly abridged?: true | undefined;
  /** How long it is given to end, in seconds. */
  readonly graceSeconds: number;
  readonly firstTriedAt: EpochMs;
  /** A pod that the API server still keeps by then stays. Throttling puts it off. */
  readonly giveUpAt: EpochMs;
  /** When it was seen that the API server had agreed, or that the pod was gone; `null` before. */
  readonly evictedAt: EpochMs | null;
  readonly goneAt: EpochMs | null;
  readonly tries: number;
  /** How often in a row the API server was too busy to answer. */
  readonly throttles: number;
  /** Not tried again before this. */
  readonly nextTryAt: EpochMs;
  /** The last refusal, in the API server's words; `null` where there was none. */
  readonly refusal: string | null;
}

/** Cluster Autoscaler's names for the first four. */
export type DrainFailure =
  | 'FailedToMarkToBeDeleted'
  | 'FailedToEvictPods'
  | 'FailedToDelete'
  | 'InternalError'
  /** The decision's conditions no longer hold: a pod came, a budget is used up, an annotation protects the node. */
  | 'NoLongerRemovable'
  /** The node or its instance was gone before Outrigger ended it. */
  | 'Gone';

export type DrainOutcome =
  | { readonly kind: 'removed'; readonly at: EpochMs }
  | {
      readonly kind: 'rolledBack';
      readonly at: EpochMs;
      readonly failure: DrainFailure;
      /** The reason that blocked the drain; `null` in drains that older versions have stored. */
      readonly blocker: DrainBlocker['kind'] | null;
      /** In words, for people. */
      readonly message: string;
      readonly pod: PodKey | null;
    };

export const hasEnded = ({ phase }: Pick<Drain, 'phase'>): boolean => phase === 'Removed' || phase === 'RolledBack';

export const drainId = (intent: string, node: NodeName): string => `${intent}/${node}`;

/** A drain as it is stored. */
export interface StoredDrain {
  readonly drain: Drain;
  /** Rises with every change: a driver that holds an older revision has been overtaken. */
  readonly revision: number;
  /** How many drivers have been started for it; the first is 1. */
  readonly attempt: number;
  /** The current driver writes again before this time; a driver that has not by then is dead. */
  readonly drivenUntil: EpochMs;
}
