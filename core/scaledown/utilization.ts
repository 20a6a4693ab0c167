import { itemAt } from '../model/values/existing.ts';
import { hasGpus } from '../model/accelerators.ts';
import { gpusIn } from '../model/cluster/gpu.ts';
import { isDaemon, isMirror, type Pod } from '../model/cluster/pod.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import { rounded } from '../model/values/rounded.ts';
import { CPU, MEMORY, type Resources } from '../model/values/resources.ts';
import type { NodeUtilization } from '../model/decision.ts';
import type { ProviderName } from '../model/provider.ts';
import { CPU_INDEX, MEMORY_INDEX } from '../model/snapshot/resource-table.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { EpochMs } from '../model/values/time.ts';
import { isLongTerminating } from './drainability/long-terminating.ts';

type Shares = Omit<NodeUtilization, 'threshold'>;

/** How much of a node is requested, of the resource that decides. */
export interface Utilization {
  readonly resource: keyof Shares;
  /** 0 is nothing, 1 is all of it; more where pods ask for more than there is. */
  readonly share: number;
  /** Rounded shares of each resource that was examined. */
  readonly shares: Shares;
}

/** Pods that do not count: their requests are deducted from the node's allocatable resources, too. */
export interface IgnoredPods {
  readonly daemons: boolean;
  readonly mirrors: boolean;
}

/**
 * The larger of what is requested of CPU and of memory, as a share of what is allocatable; of a node with GPUs the share
 * of these alone. GPUs that have not appeared yet count as unused. Pods that should have ended by now do not count.
 *
 * Follows `Calculate` of Cluster Autoscaler's simulator/utilization. Pods that this evaluation has placed on the node
 * count like existing ones.
 *
 * @param pods the pods of the cluster that are bound to the node.
 * @returns `null` where the node does not say what is allocatable.
 */
export function utilizationOf(
  info: NodeInfo,
  pods: readonly Pod[],
  ignored: IgnoredPods,
  { provider, now }: { readonly provider: ProviderName; readonly now: EpochMs },
): Utilization | null {
  const { allocatable } = info.node;
  const uncounted = uncountedPods(pods, ignored, now);
  if (hasGpus(info.node, provider)) {
    const gpus = gpusIn(allocatable);
    const requested = requestedGpus(info);
    const share = gpus > 0 ? shareOf(requested, gpus, uncounted, gpusIn) : 0;
    return { resource: 'gpu', share, shares: { gpu: rounded(share) } };
  }
  const cpu = allocatable[CPU] ?? 0;
  const memory = allocatable[MEMORY] ?? 0;
  if (cpu <= 0 || memory <= 0) {
    return null;
  }
  const ofCpu = shareOf(cpu - itemAt(info.free, CPU_INDEX), cpu, uncounted, (requests) => requests[CPU] ?? 0);
  const ofMemory = shareOf(
    memory - itemAt(info.free, MEMORY_INDEX),
    memory,
    uncounted,
    (requests) => requests[MEMORY] ?? 0,
  );
  const shares = { cpu: rounded(ofCpu), memory: rounded(ofMemory) };
  return ofCpu > ofMemory ? { resource: 'cpu', share: ofCpu, shares } : { resource: 'memory', share: ofMemory, shares };
}

/** Requests that do not count: `ignored` pods reduce the allocatable resources as well, `ending` pods do not. */
interface UncountedRequests {
  readonly ignored: readonly Resources[];
  readonly ending: readonly Resources[];
}

const NONE: UncountedRequests = { ignored: [], ending: [] };

function uncountedPods(pods: readonly Pod[], { daemons, mirrors }: IgnoredPods, now: EpochMs): UncountedRequests {
  if (!daemons && !mirrors && pods.every(({ deletedAt }) => deletedAt === null)) {
    return NONE;
  }
  const ignored: Resources[] = [];
  const ending: Resources[] = [];
  for (const pod of pods) {
    if ((daemons && isDaemon(pod)) || (mirrors && isMirror(pod))) {
      ignored.push(podRequests(pod));
    } else if (isLongTerminating(pod, now)) {
      ending.push(podRequests(pod));
    }
  }
  return { ignored, ending };
}

function shareOf(
  requested: number,
  all: number,
  { ignored, ending }: UncountedRequests,
  of: (amounts: Resources) => number,
) {
  const leftOut = ignored.reduce((sum, requests) => sum + of(requests), 0);
  const used = requested - leftOut - ending.reduce((sum, requests) => sum + of(requests), 0);
  // A node with nothing but ignored pods on it is not used.
  return used > 0 ? used / Math.max(0, all - leftOut) : 0;
}

function requestedGpus({ pods }: NodeInfo): number {
  let sum = 0;
  for (const [{ requests }, count] of pods) {
    sum += gpusIn(requests) * count;
  }
  return sum;
}
