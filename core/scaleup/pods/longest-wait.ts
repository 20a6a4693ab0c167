import type { PodOutcome } from '../../model/decision.ts';
import { keyOf } from '../../model/cluster/pod.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { DurationMs } from '../../model/values/time.ts';

/**
 * How long the longest-waiting pod that caused a scale-up had been unschedulable; `null` where none did. Kubernetes' times
 * are whole seconds.
 */
export function longestWait(
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
  outcomes: readonly PodOutcome[],
): DurationMs | null {
  const triggering = new Set(outcomes.flatMap(({ pod, outcome }) => (outcome === 'Triggered' ? [pod] : [])));
  let longest: number | null = null;
  for (const pod of triggering.size === 0 ? [] : objects.pods) {
    const since = pod.nodeName === null ? (pod.unscheduled?.since ?? pod.createdAt) : null;
    if (since !== null && triggering.has(keyOf(pod))) {
      longest = Math.max(longest ?? 0, now - since);
    }
  }
  return longest as DurationMs | null;
}
