import { areNodesToCome, type Decision } from '../model/decision.ts';
import { keyOf, type Pod } from '../model/cluster/pod.ts';
import { unboundPods } from '../model/cluster/unbound-pods.ts';
import type { Scenario } from '../model/scenario.ts';
import { epochMs, type EpochMs, minutes, seconds } from '../model/values/time.ts';

/** Cluster Autoscaler looks as often (`--scan-interval`). */
const INTERVAL = seconds(10);
/** A look that is due sooner would find little that is new. */
const SOONEST = seconds(5);
/** Pods that have waited for longer are left to the schedule. */
const LONGEST = minutes(5);

/**
 * When to look again at pods that have a place, while nodes are to come; `null` where none of them has come lately.
 * kube-scheduler may give their places to other pods, and records no more than the first two failures of a pod within minutes.
 *
 * @returns a multiple of the interval: evaluations of one burst ask for the same time.
 */
export function nextLookAtPods(
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
  { scaleUp }: Pick<Decision, 'scaleUp'>,
): EpochMs | null {
  const placed = scaleUp.pods.filter(({ outcome }) => outcome === 'Fits' || outcome === 'Triggered');
  const keys = new Set(placed.map(({ pod }) => pod));
  const hasComeLately = (pod: Pod): boolean =>
    keys.has(keyOf(pod)) && now - (pod.unscheduled?.since ?? pod.createdAt ?? now) < LONGEST;
  if (!areNodesToCome(scaleUp) || keys.size === 0 || !unboundPods(objects.pods).some(hasComeLately)) {
    return null;
  }
  return epochMs(Math.ceil((now + SOONEST) / INTERVAL) * INTERVAL);
}
