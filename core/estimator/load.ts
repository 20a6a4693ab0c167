import type { PodKind } from '../model/snapshot/pod-kind.ts';

/** A number of pods of one kind. */
export interface Load {
  readonly kind: PodKind;
  readonly count: number;
}
