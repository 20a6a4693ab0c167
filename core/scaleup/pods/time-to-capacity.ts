import { itemAt } from '../../model/values/existing.ts';
import { isDaemon, isMirror } from '../../model/cluster/pod.ts';
import type { Node } from '../../model/cluster/node.ts';
import type { NodeName } from '../../model/values/names.ts';
import type { Scenario } from '../../model/scenario.ts';
import { getOptional } from '../../model/values/optional.ts';
import { type DurationMs, durationMs, type EpochMs } from '../../model/values/time.ts';

/** Times of one evaluation, at most: as many values as a metric is published with at once. */
const MOST = 100;

/**
 * How long pods have waited for the nodes that were added for them: from each pod's creation to the readiness of the node
 * that it has, where the node became ready later. Kubernetes' times are whole seconds.
 *
 * @param after nodes that were ready by then were counted before
 * @returns ascending; of many, a hundred that are spread like all of them
 */
export function timesToCapacity(
  { objects }: Pick<Scenario, 'objects'>,
  after: EpochMs,
  until: EpochMs,
): readonly DurationMs[] {
  const ready = new Map<NodeName, EpochMs>();
  for (const node of objects.nodes) {
    const since = readySince(node);
    if (since !== null && since > after && since <= until) {
      ready.set(node.name, since);
    }
  }
  const times: DurationMs[] = [];
  if (ready.size === 0) {
    return times;
  }
  for (const pod of objects.pods) {
    const since = getOptional(ready, pod.nodeName);
    // Pods that come with every node have not waited for it.
    if (since !== undefined && pod.createdAt !== null && pod.createdAt < since && !isDaemon(pod) && !isMirror(pod)) {
      times.push(durationMs(since - pod.createdAt));
    }
  }
  times.sort((a, b) => a - b);
  if (times.length <= MOST) {
    return times;
  }
  return Array.from({ length: MOST }, (_, i) => itemAt(times, Math.round((i * (times.length - 1)) / (MOST - 1))));
}

const readySince = ({ conditions }: Node): EpochMs | null => {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? ready.since : null;
};
