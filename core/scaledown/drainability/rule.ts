import type { BlockingReason } from '../../model/decision.ts';
import type { Options } from '../../model/options.ts';
import type { Pod } from '../../model/cluster/pod.ts';
import type { EpochMs } from '../../model/values/time.ts';
import type { Controller } from '../../model/cluster/workloads.ts';
import type { PdbTracker } from '../pdb-tracker.ts';

/** The pod keeps its node. */
export interface Block {
  readonly kind: 'Block';
  readonly reason: BlockingReason;
  readonly message: string;
  /** `UnexpectedError` of a rule: which one, and what it threw. */
  readonly fault?: { readonly rule: string; readonly error: unknown };
}

/** The verdict on a pod whose node is to be removed. */
export type Drainability =
  /** The pod is ignored: it neither blocks the node nor needs a new node. */
  | { readonly kind: 'Skip' }
  /** The pod may be evicted, and no further rule is asked. */
  | { readonly kind: 'DrainOk' }
  /** The node must wait until the pod has ended. */
  | { readonly kind: 'Wait' }
  | Block
  /** No rule objects. */
  | { readonly kind: 'Move' };

/** The facts that rules decide by. */
export interface DrainContext {
  readonly options: Options;
  readonly now: EpochMs;
  /** The object behind the pod's owner reference; `null` when the pod has none, or there is no such object. */
  readonly controllers: (pod: Pod) => Controller | null;
  readonly pdbs: PdbTracker;
}

/** A rule about pods that may block a removal, as Cluster Autoscaler's drainability rules are. */
export interface DrainRule {
  /** As an unexpected error of the rule names it. */
  readonly name: string;
  /** `null` leaves the decision to the rules after it. */
  readonly decide: (pod: Pod, context: DrainContext) => Drainability | null;
}
