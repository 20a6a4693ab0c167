import type { Drain } from '../model/drain.ts';
import { byName } from '../model/values/names.ts';
import type { Options } from '../model/options.ts';
import { isDaemon, keyOf, type Pod, priorityOf, type Volume } from '../model/cluster/pod.ts';
import { deletionCostOf } from '../model/cluster/read-annotations.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import { largestShare, type Resources } from '../model/values/resources.ts';
import type { EpochMs } from '../model/values/time.ts';
import { STATEFUL_SET_WAIT } from './limits.ts';

/** `system-cluster-critical`; `system-node-critical` is above. */
const CRITICAL = 2_000_000_000;
const ENABLE_DS_EVICTION = 'cluster-autoscaler.kubernetes.io/enable-ds-eviction';

/**
 * Pods with a lower rank are evicted first, and the others when these are gone.
 *
 * With `drainPriorityConfig` it is the pod's place among its priorities: the last that is not above the pod's own, as in
 * Cluster Autoscaler's `groupByPriority`. Without, workloads go before the DaemonSets that they may need to the end
 * (network, storage), and critical ones last among either. With the shared taint priority comes first, as the proposal that
 * it is from has it: what is not critical goes before what is, of each the workloads before the DaemonSets' pods. Follows
 * Karpenter's `groupPodsByPriority`.
 */
export function rankOf(pod: Pod, { drainPriorityConfig, nodeLifecycleTaints }: Options): number {
  const priority = priorityOf(pod);
  if (drainPriorityConfig.length > 0) {
    return Math.max(
      0,
      drainPriorityConfig.findLastIndex((one) => one.priority <= priority),
    );
  }
  return 2 * Number(!nodeLifecycleTaints && isDaemon(pod)) + Number(priority >= CRITICAL);
}

/** Do a rank's DaemonSet pods follow its workloads, rather than all workloads of the node? */
export const daemonsFollowTheirRank = ({ drainPriorityConfig, nodeLifecycleTaints }: Options): boolean =>
  drainPriorityConfig.length > 0 || nodeLifecycleTaints;

/** How long a pod is given to end, in seconds: its own grace period, capped. */
export function graceOf(pod: Pod, options: Options): number {
  const longest = options.drainPriorityConfig[rankOf(pod, options)]?.graceSeconds ?? options.maxGracefulTerminationSec;
  return Math.min(pod.spec.terminationGracePeriodSeconds, longest);
}

/**
 * The order inside a rank: the lowest priority first, at equal priority workloads before DaemonSets' pods; then pods
 * whose deletion costs least, as in the controllers' own scale-down; then the largest. Replacements are scheduled in
 * about the order of evictions, each where kube-scheduler likes it best, and small pods that are evicted first may take
 * the only capacity for a large one.
 *
 * @param allocatable of the node that the pods leave.
 */
export function evictionOrder(allocatable: Resources): (a: Pod, b: Pod) => number {
  const largestFirst = bySize(allocatable);
  return (a, b) =>
    priorityOf(a) - priorityOf(b) ||
    Number(isDaemon(a)) - Number(isDaemon(b)) ||
    deletionCostOf(a) - deletionCostOf(b) ||
    largestFirst(a, b) ||
    byName(keyOf(a), keyOf(b));
}

/**
 * The pods that wait for a larger pod of a StatefulSet that is evicted before them. The replacement of the larger pod
 * has the same name and is created only when that pod is gone; a smaller pod that is evicted in the meantime may take
 * the only capacity for it. A pod that takes longer than `STATEFUL_SET_WAIT` to end is not waited for.
 *
 * @param pods of one rank, in the order of their eviction, including terminating ones.
 * @param allocatable of the node that the pods leave.
 * @returns their UIDs.
 */
export function waitingForStatefulSets(
  pods: readonly Pod[],
  allocatable: Resources,
  now: EpochMs,
): ReadonlySet<string> {
  const largestFirst = bySize(allocatable);
  const waiting = new Set<string>();
  let largest: Pod | null = null;
  for (const pod of pods) {
    if (largest !== null && largestFirst(largest, pod) < 0) {
      waiting.add(pod.uid);
    }
    const isAwaited = pod.deletedAt === null || now - pod.deletedAt < STATEFUL_SET_WAIT;
    if (pod.controller?.kind === 'StatefulSet' && isAwaited && (largest === null || largestFirst(pod, largest) < 0)) {
      largest = pod;
    }
  }
  return waiting;
}

/**
 * The largest first: by what a pod requests of the resource of which it needs most, as a part of what the node has. Pods with GPUs may
 * ask for little CPU and memory, and those with volumes for little of anything: a node attaches a limited number of these.
 */
function bySize(allocatable: Resources): (a: Pod, b: Pod) => number {
  const shares = new Map<Pod, number>();
  const shareOf = (pod: Pod): number => getOrMake(shares, pod, () => largestShare(podRequests(pod), allocatable));
  return (a, b) => shareOf(b) - shareOf(a) || attachedBy(b) - attachedBy(a);
}

/** Number of volumes that are attached to its node. */
const attachedBy = ({ spec: { volumes } }: Pod): number => volumes.filter(({ kind }) => ATTACHED.has(kind)).length;

const ATTACHED: ReadonlySet<Volume['kind']> = new Set(['claim', 'ephemeralClaim', 'disk']);

/** Is this DaemonSet pod to be evicted, by its own word or else by the options? */
export function evictsDaemon({ annotations }: Pod, kind: Drain['kind'], options: Options): boolean {
  const own = annotations[ENABLE_DS_EVICTION];
  if (own === 'true' || own === 'false') {
    return own === 'true';
  }
  return kind === 'empty' ? options.daemonsetEvictionForEmptyNodes : options.daemonsetEvictionForOccupiedNodes;
}
