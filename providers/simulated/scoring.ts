import { podRequests } from '../../core/model/pod-requests.ts';
import type { Pod } from '../../core/model/pod.ts';
import { CPU, MEMORY } from '../../core/model/resources.ts';
import { CPU_INDEX, MEMORY_INDEX } from '../../core/model/snapshot/resource-table.ts';
import type { NodeInfo } from '../../core/model/snapshot/snapshot.ts';

/** What kube-scheduler takes a pod for that asks for nothing, so that such pods do not heap up on one node. */
const LEAST_CPU = 100;
const LEAST_MEMORY = 200 * 2 ** 20;

/**
 * How much kube-scheduler likes a node for a pod: the scores of NodeResourcesFit (LeastAllocated) and of
 * NodeResourcesBalancedAllocation, 0 to 100 each, added up. Its other scores are left out: they prefer, but never forbid.
 */
export function scoreOf(pod: Pod): (info: NodeInfo) => number {
  const requests = podRequests(pod);
  const cpu = requests[CPU] || LEAST_CPU;
  const memory = requests[MEMORY] || LEAST_MEMORY;
  return ({ free, node: { allocatable } }) => {
    const cpuShare = shareAfter(allocatable[CPU] ?? 0, free[CPU_INDEX]!, cpu);
    const memoryShare = shareAfter(allocatable[MEMORY] ?? 0, free[MEMORY_INDEX]!, memory);
    const leastAllocated = Math.floor(((1 - cpuShare) * 100 + (1 - memoryShare) * 100) / 2);
    // The standard deviation of two figures is half of their difference.
    const balanced = Math.floor((1 - Math.abs(cpuShare - memoryShare) / 2) * 100);
    return leastAllocated + balanced;
  };
}

const shareAfter = (allocatable: number, free: number, request: number): number =>
  allocatable === 0 ? 1 : Math.min(1, Math.max(0, (allocatable - free + request) / allocatable));
