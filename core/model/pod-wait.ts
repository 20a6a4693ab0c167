import { mapOptional } from './values/optional.ts';
import { clip } from './values/clip.ts';
import type { PodReason } from './decision.ts';
import { isExpendable } from './cluster/expendable.ts';
import type { NodeName } from './values/names.ts';
import type { Options } from './options.ts';
import { isDaemon, isFinished, type Pod } from './cluster/pod.ts';
import { consumedBy } from './cluster/provisioning-request.ts';
import { addTime, type DurationMs, type EpochMs, formatDuration, notAfter, parseDuration } from './values/time.ts';

/** How a pod without a node is treated. */
export type Wait =
  /** The pod wants a node now. */
  | { readonly kind: 'wants' }
  /** Preemption has cleared a place for it. */
  | { readonly kind: 'nominated' }
  | {
      readonly kind: 'ignored';
      readonly reason: PodReason;
      /** When that is over by itself; `null` where it is not. */
      readonly until: EpochMs | null;
    };

const WANTS: Wait = { kind: 'wants' };
const NOMINATED: Wait = { kind: 'nominated' };

const DELAY_ANNOTATION = 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay';

/** Has kube-scheduler tried this pod, and found no node for it? */
const isUnschedulable = (pod: Pod): boolean => isWaiting(pod) && pod.unscheduled?.reason === 'Unschedulable';

/**
 * Does this pod wait for a node? An unschedulable one does, and one that no scheduler has tried yet does if its
 * scheduler is bypassed (`bypassedSchedulerNames`): tried or not, it will need a place. A gated one does not.
 */
export function isPending(pod: Pod, options: Options): boolean {
  return (
    isUnschedulable(pod) ||
    (isWaiting(pod) &&
      options.bypassedSchedulerNames.includes(pod.spec.schedulerName) &&
      pod.spec.schedulingGates.length === 0 &&
      (pod.unscheduled === null || pod.unscheduled.reason === ''))
  );
}

const isWaiting = (pod: Pod): boolean => pod.nodeName === null && pod.deletedAt === null && !isFinished(pod);

/**
 * Sorts a pending pod out: expendable, young and DaemonSet pods, those of schedulers that are not allowed to, and those that
 * consume a ProvisioningRequest, never cause a scale-up. Follows Cluster Autoscaler's pod list processors and `filterOutYoungPods`.
 *
 * @param isThere is this node in the cluster?
 */
export function waitOf(
  pod: Pod,
  options: Options,
  now: EpochMs,
  isThere: (node: NodeName) => boolean = () => true,
): Wait {
  const { schedulerName, priority } = pod.spec;
  if (options.allowedSchedulerNames.length > 0 && !options.allowedSchedulerNames.includes(schedulerName)) {
    return ignored(`its scheduler ${schedulerName} is not among allowedSchedulerNames`);
  }
  if (isDaemon(pod)) {
    return ignored('DaemonSet pods run on nodes that exist for other reasons');
  }
  if (isExpendable(pod, options)) {
    return ignored(
      `priority ${priority} is below expendablePodsPriorityCutoff ${options.expendablePodsPriorityCutoff}`,
    );
  }
  const request = options.provisioningRequests ? consumedBy(pod) : null;
  if (request !== null) {
    return ignored(`it consumes ProvisioningRequest ${pod.namespace}/${request}`);
  }
  // The place that preemption had cleared may be gone by now; kube-scheduler will try to find another place.
  if (pod.nominatedNodeName !== null && isThere(pod.nominatedNodeName)) {
    return NOMINATED;
  }
  const delay = scaleUpDelay(pod, options);
  const until = ageReachedAt(pod, delay, now);
  return until === null ? WANTS : ignored(`younger than its scale-up delay of ${formatDuration(delay)}`, until);
}

const ignored = (reason: string, until: EpochMs | null = null): Wait => ({
  kind: 'ignored',
  reason: { reason: clip(reason) },
  until,
});

/** The time at which a younger pod has the age; `null` for an older pod, and for a pod without a time of creation. */
export function ageReachedAt({ createdAt }: Pod, age: DurationMs, now: EpochMs): EpochMs | null {
  const reached = mapOptional(createdAt, (created) => addTime(notAfter(created, now), age));
  return reached !== null && reached > now ? reached : null;
}

/** The annotation can only make the delay longer; a value that is no duration is ignored. */
export function scaleUpDelay(pod: Pod, options: Options): DurationMs {
  const text = pod.annotations[DELAY_ANNOTATION];
  const parsed = mapOptional(text, parseDuration);
  return parsed?.ok === true && parsed.value > options.newPodScaleUpDelay ? parsed.value : options.newPodScaleUpDelay;
}
