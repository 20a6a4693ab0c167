import type { CapacityBuffer } from '../model/cluster/capacity-buffer.ts';
import type { Pod, PodAffinityTerm } from '../model/cluster/pod.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import type { QuotaScope, ResourceQuota } from '../model/cluster/resource-quota.ts';
import { valueOf } from '../model/values/records.ts';
import { byName } from '../model/values/names.ts';
import { CPU, MEMORY, type Resources } from '../model/values/resources.ts';
import type { BufferRoom } from './capacity-buffers.ts';

/** That the quotas of its namespace leave a buffer fewer pods than it asks for. */
export interface QuotaLimit {
  readonly from: number;
  readonly to: number;
  /** Names of those that leave fewer. */
  readonly quotas: readonly string[];
}

/** A buffer, and what it comes to without quotas. */
export interface Asking {
  readonly buffer: CapacityBuffer;
  readonly room: BufferRoom;
}

/**
 * Which buffers the ResourceQuotas of their namespaces limit. Of a quota that counts its pods a buffer gets what pods of the
 * namespace have not requested and buffers before it, the oldest first, do not hold. Pods as such (`pods`) and limits are not
 * counted.
 *
 * Follows `resourceQuotaAllocator` of Cluster Autoscaler's `capacitybuffer/controller`.
 */
export function quotaLimits(
  asking: readonly Asking[],
  quotas: readonly ResourceQuota[],
): ReadonlyMap<CapacityBuffer, QuotaLimit> {
  const limits = new Map<CapacityBuffer, QuotaLimit>();
  if (quotas.length === 0) {
    return limits;
  }
  const inNamespace = Map.groupBy(quotas, ({ namespace }) => namespace);
  const left = new Map(quotas.map((quota) => [quota, roomIn(quota)]));
  for (const { buffer, room } of asking.toSorted(oldestFirst)) {
    const requests = podRequests(room.pod);
    const counting = (inNamespace.get(buffer.namespace) ?? []).filter(({ scopes }) =>
      scopes.every((scope) => holdsOf(scope, room)),
    );
    const allowed = counting.map((quota) => ({ quota, count: podsIn(left.get(quota)!, requests) }));
    const to = Math.min(room.count, ...allowed.map(({ count }) => count));
    if (to < room.count) {
      const names = allowed.filter(({ count }) => count < room.count).map(({ quota }) => quota.name);
      limits.set(buffer, { from: room.count, to, quotas: names });
    }
    for (const quota of counting) {
      const rest = left.get(quota)!;
      for (const [resource, amount] of Object.entries(rest)) {
        rest[resource] = amount - to * (valueOf(requests, resource) ?? 0);
      }
    }
  }
  return limits;
}

const oldestFirst = ({ buffer: a }: Asking, { buffer: b }: Asking): number =>
  (a.createdAt ?? 0) - (b.createdAt ?? 0) || byName(a.name, b.name);

const roomIn = ({ hard, used }: ResourceQuota): Record<string, number> =>
  Object.fromEntries(Object.entries(hard).map(([resource, most]) => [resource, most - (valueOf(used, resource) ?? 0)]));

/** How many such pods the rest of a quota allows; infinite where it is about nothing that they request. */
function podsIn(rest: Resources, requests: Resources): number {
  const counts = Object.entries(requests).flatMap(([resource, amount]) => {
    const most = valueOf(rest, resource);
    return amount > 0 && most !== undefined ? [Math.max(0, Math.floor(most / amount))] : [];
  });
  return Math.min(Number.POSITIVE_INFINITY, ...counts);
}

/** Virtual pods run for any time, so they are not `Terminating`. A scope that is not known counts none. */
function holdsOf(scope: QuotaScope, { pod, priorityClasses }: BufferRoom): boolean {
  switch (scope.name) {
    case 'NotTerminating':
      return true;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return isOfClass(priorityClasses, scope);
    case 'CrossNamespacePodAffinity':
      return hasAffinityAcrossNamespaces(pod);
    default:
      return false;
  }
}

const isBestEffort = (pod: Pod): boolean => {
  const requests = podRequests(pod);
  return !(CPU in requests) && !(MEMORY in requests);
};

function isOfClass(classes: readonly string[], { operator, values }: QuotaScope): boolean {
  switch (operator) {
    case 'Exists':
      return classes.length > 0;
    case 'DoesNotExist':
      return classes.length === 0;
    case 'In':
      return classes.some((name) => values.includes(name));
    case 'NotIn':
      return classes.every((name) => !values.includes(name));
    default:
      return false;
  }
}

const hasAffinityAcrossNamespaces = ({ spec }: Pod): boolean =>
  [
    ...spec.podAffinity,
    ...spec.podAntiAffinity,
    ...[...spec.preferredPodAffinity, ...spec.preferredPodAntiAffinity].map(({ term }) => term),
  ].some(isAcrossNamespaces);

const isAcrossNamespaces = ({ namespaces, namespaceSelector }: PodAffinityTerm): boolean =>
  namespaces.length > 0 || namespaceSelector !== null;
