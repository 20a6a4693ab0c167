import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, type Resources } from '../../core/model/resources.ts';
import type { InstanceType } from './instance-types.ts';
import type { PodLimit } from './user-data.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Share of the memory that hypervisor and kernel keep (Karpenter's `VM_MEMORY_OVERHEAD_PERCENT`, as measured by it). */
const MEMORY_OVERHEAD = 0.075;
/** Kernels on arm64 reserve another contiguous area (CMA). */
const ARM64_OVERHEAD_MIB = 64;
const EVICTION_MEMORY_MIB = 100;
const EVICTION_STORAGE_SHARE = 0.1;
const RESERVED_STORAGE = GIB;
/** Where the type's interfaces are not known: Kubernetes' own default, which Cluster Autoscaler takes for all types. */
const DEFAULT_PODS = 110;

/** What a node has, and what of it pods may use. */
export interface NodeResources {
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

/**
 * What a new EKS node of a type will show, by the formulas of the EKS AMIs (`nodeadm`, `bootstrap.sh`) and Karpenter:
 * memory less 7.5 %, kube-reserved by pods and cores, the kubelet's hard eviction thresholds, pods by ENI addresses.
 * Cluster Autoscaler takes the bare machine for all of it, and so starts nodes that its pods then do not fit.
 *
 * @param storage bytes of the volume that the kubelet uses.
 */
export function nodeResources(type: InstanceType, podLimit: PodLimit, storage: number): NodeResources {
  const memoryMib = capacityMemoryMib(type);
  const pods = maxPods(type, podLimit);
  const capacity = {
    [CPU]: type.vCpus * 1_000,
    [MEMORY]: memoryMib * MIB,
    [EPHEMERAL_STORAGE]: storage,
    [PODS]: pods,
    ...type.devices,
  };
  // The AMIs reserve for the pods that the type has addresses for, whatever limit the user sets beside it.
  const reservedMemoryMib = reservedMemory(addressLimit(type)) + EVICTION_MEMORY_MIB;
  const reservedStorage = RESERVED_STORAGE + Math.ceil(storage * EVICTION_STORAGE_SHARE);
  return {
    capacity,
    allocatable: {
      ...capacity,
      [CPU]: Math.max(0, capacity[CPU] - reservedCpu(type.vCpus)),
      [MEMORY]: Math.max(0, memoryMib - reservedMemoryMib) * MIB,
      [EPHEMERAL_STORAGE]: Math.max(0, storage - reservedStorage),
    },
  };
}

/** What the node will report as its memory, in MiB. */
function capacityMemoryMib({ memoryMib, architecture }: InstanceType): number {
  const usable = memoryMib - (architecture === 'arm64' ? ARM64_OVERHEAD_MIB : 0);
  return usable - Math.ceil(usable * MEMORY_OVERHEAD);
}

/**
 * Pods that the VPC CNI has addresses for: each interface keeps one address for itself, and two pods (aws-node and
 * kube-proxy) use the host's.
 */
export function addressLimit({ network }: Pick<InstanceType, 'network'>): number {
  return network === null ? DEFAULT_PODS : network.interfaces * (network.addressesPerInterface - 1) + 2;
}

/** Pods that a kubelet takes. With prefixes addresses no longer bind; the limit is EKS' recommendation: 110, or 250 above 30 vCPUs. */
export function maxPods(type: InstanceType, limit: PodLimit): number {
  switch (limit.kind) {
    case 'fixed':
      return limit.pods;
    case 'prefixes':
      return type.vCpus > 30 ? 250 : 110;
    case 'addresses':
      return addressLimit(type);
  }
}

/** kube-reserved CPU in milli: 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest. */
export function reservedCpu(vCpus: number): number {
  const between = (from: number, to: number): number => Math.max(0, Math.min(vCpus, to) - from);
  return Math.floor(60 * between(0, 1) + 10 * between(1, 2) + 5 * between(2, 4) + 2.5 * between(4, Infinity));
}

/** kube-reserved memory in MiB. */
export const reservedMemory = (pods: number): number => 11 * pods + 255;
