import type { FailureClass } from './node-group.ts';

/** The outcome of a change to an object. `gone`: the object no longer exists, or a new object has its name. */
export type WriteOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export type EvictOutcome =
  | WriteOutcome
  /** `refused`: by a PodDisruptionBudget or an admission webhook. `throttled`: the API server is busy, and says nothing about the pod. */
  | { readonly kind: 'refused' | 'throttled'; readonly message: string; readonly retryAfterSeconds: number | null };

export interface CallFailed {
  readonly kind: 'failed';
  readonly class: FailureClass;
  readonly code: string;
  readonly message: string;
}

export type SetSizeOutcome = { readonly kind: 'set' } | CallFailed;

/** `gone`: the instance is no member of the group any more, or on its way out already. */
export type TerminateOutcome = { readonly kind: 'terminated' | 'gone' } | CallFailed;

/** `withdrawn`: nothing of an earlier attempt to end the instance is left on it. */
export type WithdrawOutcome = { readonly kind: 'withdrawn' } | CallFailed;

/** `gone`: the instance does not wait for this lifecycle hook (any more). */
export type HookOutcome = { readonly kind: 'done' } | { readonly kind: 'gone' } | CallFailed;
