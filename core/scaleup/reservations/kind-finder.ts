import { type PodKind, sharedPart } from '../../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import type { ReservedPlaces } from '../../model/state.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { Load } from '../../estimator/load.ts';

/** The pending pods that a reservation is for; none where these are not pending any more. */
export type KindFinder = (reserved: ReservedPlaces) => readonly Load[];

/**
 * Finds the kinds again that a state speaks of. When a workload comes whose selectors name a label that none named
 * before, or the last such one goes, pods that have the label are of other kinds than they were. They are then found by
 * all the rest. Pods of several kinds that were one before, or are alike in all else, get as many places as they are,
 * the first kinds first.
 *
 * @param remembered all reservations that will be looked up: kinds that are found exactly take no place of others.
 */
export function kindFinder(
  snapshot: Snapshot,
  demands: readonly Demand[],
  remembered: readonly ReservedPlaces[],
): KindFinder {
  const spoken = new Set(remembered.map(({ kind }) => kind));
  const exact = new Map<string, PodKind[]>();
  const alike = new Map<string, PodKind[]>();
  for (const { kind } of demands) {
    const fingerprint = snapshot.kinds.fingerprint(kind);
    const [kinds, key] = spoken.has(fingerprint) ? [exact, fingerprint] : [alike, sharedPart(fingerprint)];
    const same = kinds.get(key);
    if (same === undefined) {
      kinds.set(key, [kind]);
    } else {
      same.push(kind);
    }
  }
  const waiting = new Map(demands.map(({ kind, pods }) => [kind, pods.length]));
  return ({ kind: fingerprint, count }) => {
    const kinds = exact.get(fingerprint) ?? alike.get(sharedPart(fingerprint)) ?? [];
    if (kinds.length === 1) {
      return [{ kind: kinds[0]!, count }];
    }
    const loads: Load[] = [];
    let left = count;
    for (const kind of kinds) {
      const some = Math.min(left, waiting.get(kind)!);
      if (some > 0) {
        loads.push({ kind, count: some });
        waiting.set(kind, waiting.get(kind)! - some);
        left -= some;
      }
    }
    return loads;
  };
}
