import type { GroupName, InstanceId, NodeName } from '../model/values/names.ts';
import type { EvictOutcome, HookOutcome, TerminateOutcome, WriteOutcome } from '../model/answers.ts';
import type { TerminationHook } from '../model/notice.ts';
import type { NodeChange } from '../model/cluster/node-change.ts';
import type { ClusterEvent } from '../model/cluster/cluster-event.ts';

/** Something to be done in the world, after the drain that asks for it has been stored. */
export type DrainEffect =
  | { readonly kind: 'changeNode'; readonly node: NodeName; readonly uid: string; readonly change: NodeChange }
  | {
      readonly kind: 'evict';
      readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
      /** `null` leaves the pod its own grace period. */
      readonly graceSeconds: number | null;
      /** The eviction is skipped in this step where the API server has not answered an earlier one (`isVerdict`). */
      readonly inOrder?: true;
    }
  /** `decrement`: the group's target comes down with the instance; otherwise it is replaced. */
  | {
      readonly kind: 'terminate';
      readonly group: GroupName;
      readonly instance: InstanceId;
      readonly decrement: boolean;
    }
  /** The instance waits for this hook, and ends when it is completed; a heartbeat has it wait longer. */
  | {
      readonly kind: 'completeHook' | 'heartbeat';
      readonly group: GroupName;
      readonly instance: InstanceId;
      readonly hook: TerminationHook;
    }
  /** Best effort. */
  | { readonly kind: 'recordEvent'; readonly event: ClusterEvent };

/** The results of the effects that the step before requested. An absent result is unknown: the effect may have happened. */
export interface EffectResults {
  readonly changeNode: WriteOutcome | null;
  /** By the pod's uid. */
  readonly evictions: Readonly<Record<string, EvictOutcome>>;
  /** The result of a termination, or of the completion of a hook. */
  readonly terminate: TerminateOutcome | null;
}

export const NO_RESULTS: EffectResults = Object.freeze({ changeNode: null, evictions: {}, terminate: null });

/** An instance ends when its hook is completed. */
export function asTermination(outcome: HookOutcome): TerminateOutcome {
  if (outcome.kind === 'done') {
    return { kind: 'terminated' };
  }
  return outcome;
}
