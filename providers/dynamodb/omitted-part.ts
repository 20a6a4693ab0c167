import type { State } from '@outrigger/core/model/state.ts';

/** Parts of the state that were not stored, and of what: pods, groups, nodes. */
export interface OmittedPart {
  readonly part: keyof State;
  /** Sorted. */
  readonly names: readonly string[];
}
