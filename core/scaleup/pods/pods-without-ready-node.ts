import { addCount } from '../../model/values/counts.ts';
import type { PodKey } from '../../model/values/names.ts';
import { keyOf } from '../../model/cluster/pod.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';
import type { Simulation } from './simulation.ts';

/** The pods that want a node, as a scale-up has placed them. */
export interface PodPlacements extends Pick<Simulation, 'demands' | 'ready'> {
  readonly placements: readonly Placement[];
  /** Pods without any place, whether nodes are launched for them or not. */
  readonly unplaced: readonly Demand[];
}

/**
 * The pods that want a node and are not sure of a place on one of these nodes. Pods of one kind are not told apart:
 * where not all of them have a place there, no pod of the kind is sure of one, but for pods of disruptions. Pods of
 * disruptions come after all other pods, one disruption after the other: a disruption has places for all of its pods, or takes
 * none.
 *
 * @param disruptions the pods of each disruption that waits; the first ones are served first
 */
export function podsWithoutReadyNode(
  { demands, placements, unplaced, ready }: PodPlacements,
  disruptions: readonly ReadonlySet<PodKey>[] = [],
): ReadonlySet<PodKey> {
  const short = new Set([
    ...unplaced.map(({ kind }) => kind),
    ...placements.filter(({ info }) => !ready.has(info.name)).map(({ kind }) => kind),
  ]);
  const wanting = demands
    .filter(({ kind }) => short.has(kind))
    .flatMap(({ kind, pods }) => pods.map((pod) => ({ kind, key: keyOf(pod) })));
  if (wanting.length === 0 || disruptions.length === 0) {
    return new Set(wanting.map(({ key }) => key));
  }
  const places = new Map<PodKind, number>();
  for (const { kind, info, count } of placements) {
    if (ready.has(info.name)) {
      addCount(places, kind, count);
    }
  }
  const without: PodKey[] = [];
  const others = wanting.filter(({ key }) => !disruptions.some((pods) => pods.has(key)));
  for (const [kind, some] of Map.groupBy(others, (one) => one.kind)) {
    const left = (places.get(kind) ?? 0) - some.length;
    places.set(kind, Math.max(0, left));
    if (left < 0) {
      without.push(...some.map(({ key }) => key));
    }
  }
  for (const pods of disruptions) {
    const some = wanting.filter(({ key }) => pods.has(key));
    if (!takePlaces(places, some)) {
      without.push(...some.map(({ key }) => key));
    }
  }
  return new Set(without);
}

/** Takes a place for each of these; `false`: there are not enough, and none is taken. */
function takePlaces(places: Map<PodKind, number>, pods: readonly { readonly kind: PodKind }[]): boolean {
  const byKind = [...Map.groupBy(pods, ({ kind }) => kind)];
  if (byKind.some(([kind, some]) => (places.get(kind) ?? 0) < some.length)) {
    return false;
  }
  for (const [kind, some] of byKind) {
    addCount(places, kind, -some.length);
  }
  return true;
}
