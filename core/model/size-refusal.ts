import type { Pause } from './pause.ts';

/** Why a size that was decided is not set: the node group is not as it was, or has the size already. */
export type SizeRefusal =
  | { readonly kind: 'AlreadySet' | 'GroupGone' }
  /** The current target, maximum or minimum, and the decided value. */
  | { readonly kind: 'TargetChanged'; readonly now: number; readonly from: number }
  | { readonly kind: 'AboveMaximum' | 'BelowMinimum' | 'InstancesArrived'; readonly now: number; readonly to: number }
  | { readonly kind: 'Paused'; readonly pause: Pause }
  | { readonly kind: 'Superseded' | 'MaybeSetBefore' };
