import type { PodReason } from '../model/decision.ts';
import type { Options } from '../model/options.ts';
import { isDaemon, type Pod } from '../model/pod.ts';
import { parseDuration, type EpochMs } from '../model/time.ts';

/** What to do about a pod that no node has. */
export type Wait =
  /** It wants a node now. */
  | { readonly kind: 'wants' }
  /** Preemption has cleared a place for it. */
  | { readonly kind: 'nominated' }
  | { readonly kind: 'ignored'; readonly reason: PodReason };

const DELAY_ANNOTATION = 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay';

/** Did kube-scheduler look for a node for this pod, and find none? */
export const isUnschedulable = (pod: Pod): boolean =>
  pod.nodeName === null && pod.deletedAt === null && pod.unscheduled?.reason === 'Unschedulable';

/**
 * Sorts an unschedulable pod out: expendable, young and DaemonSet pods never cause a scale-up. Follows Cluster
 * Autoscaler's pod list processors and `filterOutYoungPods`.
 */
export function waitOf(pod: Pod, options: Options, now: EpochMs): Wait {
  if (isDaemon(pod)) {
    return ignored('DaemonSet pods run on nodes that are there for other reasons');
  }
  if (pod.spec.priority !== null && pod.spec.priority < options.expendablePodsPriorityCutoff) {
    return ignored(
      `priority ${pod.spec.priority} is below expendablePodsPriorityCutoff ${options.expendablePodsPriorityCutoff}`,
    );
  }
  if (pod.nominatedNodeName !== null) {
    return { kind: 'nominated' };
  }
  const delay = scaleUpDelay(pod, options);
  if (pod.createdAt !== null && pod.createdAt + delay > now) {
    return ignored('younger than its scale-up delay');
  }
  return { kind: 'wants' };
}

const ignored = (reason: string): Wait => ({ kind: 'ignored', reason: { reason } });

/** The annotation can only make the delay longer; one that is no duration counts for nothing. */
function scaleUpDelay(pod: Pod, options: Options): number {
  const text = pod.annotations[DELAY_ANNOTATION];
  const parsed = text === undefined ? null : parseDuration(text);
  return Math.max(options.newPodScaleUpDelay, parsed?.ok === true ? parsed.value : 0);
}
