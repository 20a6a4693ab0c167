import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, type Resources } from '@outrigger/core/model/values/resources.ts';
import { parseQuantity, roundUp } from '@outrigger/core/model/values/quantity.ts';
import type { InstanceType } from '../launches/instance-types.ts';
import { type KubeletSettings, NO_SETTINGS } from '../launches/kubelet-settings.ts';
import { evaluateExpression, expressionVariables } from '../launches/max-pods-expression.ts';
import type { PodLimit } from '../launches/user-data.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/**
 * Share of the memory that the hypervisor and the kernel use (Karpenter's `VM_MEMORY_OVERHEAD_PERCENT`, as measured by
 * it).
 */
const MEMORY_OVERHEAD = 0.075;
/** Kernels on arm64 reserve another contiguous area (CMA). */
const ARM64_OVERHEAD_MIB = 64;
/** The AMIs' default. */
const EVICTION_HARD = { 'memory.available': '100Mi', 'nodefs.available': '10%' } as const;
const RESERVED_STORAGE = GIB;
/**
 * Pods of a node if the type's interfaces are unknown: Kubernetes' default, which Cluster Autoscaler uses for all
 * types.
 */
const DEFAULT_PODS = 110;

/** A node's capacity and allocatable. */
export interface NodeResources {
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

/**
 * The capacity and allocatable of a new EKS node of a type, by the formulas of the EKS AMIs (`nodeadm`, `bootstrap.sh`)
 * and Karpenter: memory less 7.5 %, kube-reserved by pods and cores, the kubelet's hard eviction thresholds, pods by
 * ENI addresses. Cluster Autoscaler takes the type's full resources as allocatable, and so starts nodes that its pods
 * then do not fit.
 *
 * @param storage bytes of the volume that the kubelet uses.
 */
export function nodeResources(
  type: InstanceType,
  podLimit: PodLimit,
  storage: number,
  settings: KubeletSettings = NO_SETTINGS,
): NodeResources {
  const memoryMib = capacityMemoryMib(type);
  const pods = maxPods(type, podLimit);
  const capacity: Resources & Readonly<Record<typeof MEMORY, number>> = {
    [CPU]: type.vCpus * 1_000,
    [MEMORY]: memoryMib * MIB,
    [EPHEMERAL_STORAGE]: storage,
    [PODS]: pods,
    ...type.devices,
  };
  // The AMIs reserve for the number of pods by the type's addresses or by nodeadm's expression, whatever limit the user
  // sets beside it.
  const { maxPodsExpression: expression } = settings;
  const reservedPods = expression === null ? addressLimit(type) : maxPods(type, { kind: 'expression', expression });
  const kube: Resources = {
    [CPU]: reservedCpu(type.vCpus),
    [MEMORY]: reservedMemory(reservedPods) * MIB,
    [EPHEMERAL_STORAGE]: RESERVED_STORAGE,
    ...settings.kubeReserved,
  };
  const { 'memory.available': memoryThreshold, 'nodefs.available': storageThreshold } = {
    ...EVICTION_HARD,
    ...settings.evictionHard,
  };
  const free = (resource: string, threshold: number): number =>
    Math.max(
      0,
      (capacity[resource] ?? 0) - (kube[resource] ?? 0) - (settings.systemReserved[resource] ?? 0) - threshold,
    );
  return {
    capacity,
    allocatable: {
      ...capacity,
      [CPU]: free(CPU, 0),
      [MEMORY]: free(MEMORY, thresholdOf(memoryThreshold, capacity[MEMORY])),
      [EPHEMERAL_STORAGE]: free(EPHEMERAL_STORAGE, thresholdOf(storageThreshold, storage)),
    },
  };
}

/** The kubelet's threshold: a quantity, or a share of the capacity; 0 for any other value. */
function thresholdOf(text: string, capacity: number): number {
  const share = /^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(text)?.[1];
  if (share !== undefined) {
    return Math.ceil((capacity * Number(share)) / 100);
  }
  const amount = parseQuantity(text);
  return amount.ok && amount.value > 0 ? roundUp(amount.value) : 0;
}

/** The memory capacity that the node will report, in MiB. */
function capacityMemoryMib({ memoryMib, architecture }: InstanceType): number {
  const usable = memoryMib - (architecture === 'arm64' ? ARM64_OVERHEAD_MIB : 0);
  return usable - Math.ceil(usable * MEMORY_OVERHEAD);
}

/**
 * The number of pods by the VPC CNI's addresses: each interface uses one address itself, and two pods (aws-node and
 * kube-proxy) use the host's.
 */
export function addressLimit({ network }: Pick<InstanceType, 'network'>): number {
  return network === null ? DEFAULT_PODS : network.interfaces * (network.addressesPerInterface - 1) + 2;
}

/** A kubelet's limit of pods. With prefixes the addresses are no limit; EKS recommends 110, or 250 above 30 vCPUs. */
export function maxPods(type: InstanceType, limit: PodLimit): number {
  switch (limit.kind) {
    case 'fixed':
      return limit.pods;
    case 'prefixes':
      return type.vCpus > 30 ? 250 : 110;
    case 'expression':
      return evaluateExpression(limit.expression, expressionVariables(type)) ?? addressLimit(type);
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
