import { countBy } from '../model/values/counts.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';

/** A number of pods of one kind. */
export interface Load {
  readonly kind: PodKind;
  readonly count: number;
}

/** Number of pods of each kind, in the order in which the kinds are first seen. */
export const podsByKind = (loads: Iterable<Load>): Map<PodKind, number> =>
  countBy(
    loads,
    ({ kind }) => kind,
    ({ count }) => count,
  );
