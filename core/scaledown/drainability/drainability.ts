import { describeError } from '../../model/fault.ts';
import type { Options } from '../../model/options.ts';
import { isDaemon, isFinished, type Pod } from '../../model/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Controller } from '../../model/workloads.ts';
import type { DisruptionBudgets } from '../disruption-budgets.ts';
import { daemonSet } from './daemon-set.ts';
import { doNotDisrupt } from './do-not-disrupt.ts';
import { localStorage } from './local-storage.ts';
import { longTerminating } from './long-terminating.ts';
import { mirror } from './mirror.ts';
import { notSafeToEvict } from './not-safe-to-evict.ts';
import { onCompletion } from './on-completion.ts';
import { MOVE } from './outcome.ts';
import { pdb } from './pdb.ts';
import { replicaCount } from './replica-count.ts';
import { replicated } from './replicated.ts';
import { safeToEvict } from './safe-to-evict.ts';
import { system } from './system.ts';
import { terminal } from './terminal.ts';

/** Why a pod keeps its node. Cluster Autoscaler's names, and `DoNotDisrupt`. */
export type BlockingReason =
  | 'ControllerNotFound'
  | 'MinReplicasReached'
  | 'NotReplicated'
  | 'LocalStorageRequested'
  | 'NotSafeToEvictAnnotation'
  | 'UnmovableKubeSystemPod'
  | 'NotEnoughPdb'
  | 'DoNotDisrupt'
  | 'UnexpectedError';

/** The pod keeps its node. */
export interface Block {
  readonly kind: 'Block';
  readonly reason: BlockingReason;
  readonly message: string;
  /** `UnexpectedError` of a rule: which one, and what it threw. */
  readonly fault?: { readonly rule: string; readonly error: unknown };
}

/** What becomes of a pod when its node goes. */
export type Drainability =
  /** It leaves by itself, or is nobody's business: it neither keeps the node nor wants a new place. */
  | { readonly kind: 'Skip' }
  /** It may be evicted, and no further rule is asked. */
  | { readonly kind: 'DrainOk' }
  /** The node must wait until the pod has ended. */
  | { readonly kind: 'Wait' }
  | Block
  /** No rule objects. */
  | { readonly kind: 'Move' };

/** What the rules ask about. */
export interface DrainContext {
  readonly options: Options;
  readonly now: EpochMs;
  /** The object behind the pod's owner reference; `null` when the pod has none, or there is no such object. */
  readonly controllers: (pod: Pod) => Controller | null;
  readonly budgets: DisruptionBudgets;
}

/** A drain rule: `null` leaves the decision to the rules after it. */
export type DrainRule = (pod: Pod, context: DrainContext) => Drainability | null;

/** In Cluster Autoscaler's order (its `drainability/rules/rules.go`), with `doNotDisrupt` before those that let go. */
export const DRAIN_RULES: Readonly<Record<string, DrainRule>> = {
  mirror,
  longTerminating,
  replicaCount,
  doNotDisrupt,
  daemonSet,
  safeToEvict,
  terminal,
  onCompletion,
  replicated,
  system,
  notSafeToEvict,
  localStorage,
  pdb,
};

/**
 * Asks the drain rules in their order; the first that decides has the last word. A pod about which a rule throws keeps its
 * node: what that rule would have said is not known.
 */
export function drainabilityOf(
  pod: Pod,
  context: DrainContext,
  rules: Readonly<Record<string, DrainRule>> = DRAIN_RULES,
): Drainability {
  for (const rule in rules) {
    const decided = verdictOf(rule, rules[rule]!, pod, context);
    if (decided !== null) {
      return decided;
    }
  }
  return MOVE;
}

/** What one rule says. */
export function verdictOf(name: string, rule: DrainRule, pod: Pod, context: DrainContext): Drainability | null {
  try {
    return rule(pod, context);
  } catch (error) {
    const { message } = describeError(error);
    return {
      kind: 'Block',
      reason: 'UnexpectedError',
      message: `drain rule ${name} failed: ${message}`,
      fault: { rule: name, error },
    };
  }
}

/** What a node's pods mean to its removal. */
export type PodsToMove =
  | {
      readonly kind: 'Drainable';
      /** Pods that need a new place. */
      readonly move: readonly Pod[];
      /** DaemonSet pods: they end with the node. */
      readonly daemons: readonly Pod[];
      /** Pods that the node must wait for; they need no new place. */
      readonly waiting: readonly Pod[];
    }
  | (Omit<Block, 'kind'> & { readonly kind: 'Blocked'; readonly pod: Pod });

/** Sorts the pods of one node by what its removal does to them. The first pod that blocks ends it. */
export function podsToMove(pods: readonly Pod[], context: DrainContext): PodsToMove {
  const move: Pod[] = [];
  const daemons: Pod[] = [];
  const waiting: Pod[] = [];
  for (const pod of pods) {
    const drainability = drainabilityOf(pod, context);
    switch (drainability.kind) {
      case 'Block':
        return { ...drainability, kind: 'Blocked', pod };
      case 'Wait':
        waiting.push(pod);
        break;
      case 'DrainOk':
        if (isDaemon(pod)) {
          daemons.push(pod);
        } else if (!isFinished(pod)) {
          move.push(pod);
        }
        break;
      case 'Move':
        move.push(pod);
        break;
      case 'Skip':
        break;
    }
  }
  return { kind: 'Drainable', move, daemons, waiting };
}
