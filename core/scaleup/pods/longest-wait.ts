import { itemAt } from '../../model/values/existing.ts';
import type { PodOutcome } from '../../model/decision.ts';
import { keyOf } from '../../model/cluster/pod.ts';
import { unboundPods } from '../../model/cluster/unbound-pods.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { PodKey } from '../../model/values/names.ts';
import { byNumber } from '../../model/values/sorted.ts';
import { type DurationMs, durationMs, type EpochMs } from '../../model/values/time.ts';

/**
 * How long the longest-waiting pod that caused a scale-up had been unschedulable; `null` where none did. Kubernetes' times
 * are whole seconds.
 */
export function longestWait(
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
  outcomes: readonly PodOutcome[],
): DurationMs | null {
  if (!outcomes.some(({ outcome }) => outcome === 'Triggered')) {
    return null;
  }
  const pending = new Map<PodKey, PendingPod>();
  for (const pod of unboundPods(objects.pods)) {
    const since = pod.unscheduled?.since ?? pod.createdAt;
    if (since !== null) {
      pending.set(keyOf(pod), { since, alike: pod.controller?.uid ?? keyOf(pod) });
    }
  }
  return longestWaitOf(outcomes, (pod) => pending.get(pod) ?? null, now);
}

/** A pod without a node. */
interface PendingPod {
  readonly since: EpochMs;
  /** Pods with the same have the same needs: those of one controller. */
  readonly alike: string;
}

/**
 * The same for pods that are found by their keys. Of pods that are alike, the pods that have waited longest take the
 * existing places: a younger pod that takes such a place leaves an older pod to the new node, and the older pod waits
 * no longer for it than the younger one would have.
 */
export function longestWaitOf(
  outcomes: readonly PodOutcome[],
  pendingPod: (pod: PodKey) => PendingPod | null,
  now: EpochMs,
): DurationMs | null {
  const waits = new Map<string, { fits: number; triggers: number; readonly since: EpochMs[] }>();
  for (const { pod, outcome } of outcomes) {
    const pending = outcome === 'Triggered' || outcome === 'Fits' ? pendingPod(pod) : null;
    if (pending !== null) {
      const alike = waits.get(pending.alike) ?? { fits: 0, triggers: 0, since: [] };
      waits.set(pending.alike, alike);
      alike[outcome === 'Fits' ? 'fits' : 'triggers'] += 1;
      alike.since.push(pending.since);
    }
  }
  const triggering = [...waits.values()].filter(({ triggers }) => triggers > 0);
  if (triggering.length === 0) {
    return null;
  }
  const first = triggering.map(({ fits, since }) => itemAt(since.toSorted(byNumber), fits));
  return durationMs(now - first.reduce<number>((a, b) => Math.min(a, b), now));
}
