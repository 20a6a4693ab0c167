import { firstItem, getExisting } from '../../model/values/existing.ts';
import { type PodKind, sharedPart } from '../../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import type { ReservedPlaces } from '../../model/state.ts';
import type { Demand, Load } from '../../estimator/demand.ts';

/** The pending pods that a reservation is for; none where the pods are not pending any more. */
export type KindFinder = (reserved: ReservedPlaces) => readonly Load[];

/**
 * Finds the kinds again that a state names. A workload whose selectors are the first to name a label, or the removal of
 * the last such workload, changes the kinds of pods with the label. Such kinds are then found by all other properties.
 * If one kind has become several, or several are alike in all else, each gets as many places as it has pods, the first
 * kinds first.
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
      return [{ kind: firstItem(kinds), count }];
    }
    const loads: Load[] = [];
    let left = count;
    for (const kind of kinds) {
      const some = Math.min(left, getExisting(waiting, kind));
      if (some > 0) {
        loads.push({ kind, count: some });
        waiting.set(kind, getExisting(waiting, kind) - some);
        left -= some;
      }
    }
    return loads;
  };
}
