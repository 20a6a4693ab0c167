import { addCount } from '../model/values/counts.ts';
import { getExisting, itemAt } from '../model/values/existing.ts';
import type { HeadroomReport } from '../model/decision.ts';
import { ACTIVE_CAPACITY, type CapacityBuffer } from '../model/cluster/capacity-buffer.ts';
import type { Pod } from '../model/cluster/pod.ts';
import type { Scenario } from '../model/scenario.ts';
import { byName } from '../model/values/names.ts';
import type { Result } from '../model/values/result.ts';
import { bufferRoom } from './capacity-buffers.ts';
import { fairShares } from '../model/values/fair-shares.ts';
import { type QuotaGrant, type QuotaLedger, type RequestedPods, unnamedText } from './quota-ledger.ts';

/**
 * An owner of capacity, and the virtual pods that it gets. These are simulated, and are in no cluster: room is held, and nodes are
 * launched, for them as for pending pods.
 */
export interface HeadroomRequest {
  readonly source: HeadroomReport['source'];
  /** Namespace and name of the object that asks for the pods. */
  readonly name: string;
  /** The virtual pods are alike, and unscheduled. `null`: no capacity is held, for the reason in `problem`. */
  readonly pod: Pod | null;
  readonly count: number;
  /** `null`: quotas allow everything that is asked for. */
  readonly limit: NonNullable<HeadroomReport['limit']> | null;
  /** In words; `null` where nothing is wrong. */
  readonly problem: string | null;
}

/** Maximum number of virtual pods of all CapacityBuffers of a cluster, shared fairly among namespaces. */
export const MAX_VIRTUAL_PODS = 5_000;

/** The number of virtual pods that each namespace may still have. */
export interface NamespaceHeadroom {
  /** `maxHeadroomPerNamespace`; 0: unlimited. */
  readonly most: number;
  readonly left: (namespace: string) => number;
  readonly use: (namespace: string, count: number) => void;
}

/** @param most `maxHeadroomPerNamespace`; 0: unlimited. */
export function createNamespaceHeadroom(most: number): NamespaceHeadroom {
  const used = new Map<string, number>();
  return {
    most,
    left: (namespace) => (most === 0 ? Number.POSITIVE_INFINITY : Math.max(0, most - (used.get(namespace) ?? 0))),
    use: (namespace, count) => {
      addCount(used, namespace, count);
    },
  };
}

type AgedObject = Pick<CapacityBuffer, 'namespace' | 'name' | 'createdAt'>;

/**
 * Everything that asks for room, by name. The ResourceQuotas of a namespace and `maxHeadroomPerNamespace` are used up by its buffers in
 * the order of their age; the limit of the cluster is shared among namespaces. Buffers with another strategy are another
 * controller's, as in Cluster Autoscaler's `capacitybuffer/filters/strategy_filter.go`.
 */
export function headroomIn(
  { objects, options }: Pick<Scenario, 'objects' | 'options'>,
  quotas: QuotaLedger,
  headroom: NamespaceHeadroom,
): readonly HeadroomRequest[] {
  if (!options.capacityBuffers) {
    return [];
  }
  const buffers = objects.capacityBuffers.filter(({ strategy }) => strategy === ACTIVE_CAPACITY);
  const limited = new Map<CapacityBuffer, HeadroomRequest>();
  for (const buffer of buffers.toSorted(oldestFirst)) {
    const room = bufferRoom(buffer, objects);
    limited.set(buffer, limitedByNamespace(buffer, room, quotas, headroom));
  }
  const shares = fairShares(
    buffers.map((buffer) => ({ namespace: buffer.namespace, count: getExisting(limited, buffer).count })),
    MAX_VIRTUAL_PODS,
  );
  return buffers.map((buffer, i) => limitedTo(itemAt(shares, i), getExisting(limited, buffer)));
}

/** By age; of equals by name. */
export const oldestFirst = (a: AgedObject, b: AgedObject): number =>
  (a.createdAt ?? 0) - (b.createdAt ?? 0) || byName(a.namespace, b.namespace) || byName(a.name, b.name);

function limitedByNamespace(
  { namespace, name }: CapacityBuffer,
  room: Result<RequestedPods, string>,
  quotas: QuotaLedger,
  headroom: NamespaceHeadroom,
): HeadroomRequest {
  const about = { source: 'CapacityBuffer' as const, name: `${namespace}/${name}` };
  if (!room.ok) {
    return { ...about, pod: null, count: 0, limit: null, problem: room.error };
  }
  const demand = { namespace, ...room.value };
  const granted = quotas.grantFor(demand);
  const count = Math.min(granted.count, headroom.left(namespace));
  quotas.use(demand, count);
  headroom.use(namespace, count);
  const limit = granted.quotas.length === 0 ? null : { from: demand.count, to: count, quotas: granted.quotas };
  return { ...about, pod: demand.pod, count, limit, problem: problemOf(granted, count, namespace, headroom) };
}

function problemOf(granted: QuotaGrant, count: number, namespace: string, { most }: NamespaceHeadroom): string | null {
  if (granted.unnamed.length > 0) {
    return unnamedText(granted);
  }
  if (count < granted.count) {
    return `limited from ${granted.count} to ${count}: maxHeadroomPerNamespace is ${most} for namespace ${namespace}`;
  }
  return null;
}

/** The request with its share of the virtual pods of the cluster. */
function limitedTo(share: number, request: HeadroomRequest): HeadroomRequest {
  const { count } = request;
  if (share >= count) {
    return request;
  }
  const problem = `limited from ${count} to ${share}: a cluster has ${MAX_VIRTUAL_PODS} virtual pods at most`;
  return { ...request, count: share, problem };
}
