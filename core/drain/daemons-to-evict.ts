import type { Drain, Eviction } from '../model/drain.ts';
import { controllerKeyOf, type Pod } from '../model/cluster/pod.ts';
import { addTime, seconds } from '../model/values/time.ts';
import { toleratesDisruption } from '../scaledown/drainability/tolerates-disruption.ts';
import { evictsDaemon } from './eviction-order.ts';
import type { DrainFacts } from './observation.ts';

/**
 * DaemonSet pods that are still to be evicted: their eviction was not requested yet, or was and may still be answered.
 * Pods that their DaemonSet has put back are left alone.
 *
 * @param known the evictions of the drain, by the pods' uids.
 */
export function daemonsToEvict(
  { kind }: Pick<Drain, 'kind'>,
  { now, options, daemons }: Pick<DrainFacts, 'now' | 'options' | 'daemons'>,
  known: ReadonlyMap<string, Eviction>,
): readonly Pod[] {
  const had = new Set([...known.values()].flatMap(({ manifest }) => controllerKeyOf(manifest) ?? []));
  return daemons.filter((pod) => {
    if (!evictsDaemon(pod, kind, options) || toleratesDisruption(pod, options)) {
      return false;
    }
    const eviction = known.get(pod.uid);
    if (eviction === undefined) {
      const controller = controllerKeyOf(pod);
      return pod.deletedAt === null && (controller === null || !had.has(controller));
    }
    const { evictedAt, giveUpAt, graceSeconds } = eviction;
    return now < (evictedAt === null ? giveUpAt : addTime(evictedAt, seconds(graceSeconds)));
  });
}
