import { addCount } from '../model/values/counts.ts';
import { getExisting, itemAt } from '../model/values/existing.ts';
import type { HeadroomReport } from '../model/decision.ts';
import type { CapacityBuffer } from '../model/cluster/capacity-buffer.ts';
import type { Pod } from '../model/cluster/pod.ts';
import type { Scenario } from '../model/scenario.ts';
import { byName } from '../model/values/names.ts';
import type { Result } from '../model/values/result.ts';
import { bufferRoom } from './capacity-buffers.ts';
import { fairShares } from '../model/values/fair-shares.ts';
import { type QuotaLedger, type RequestedPods, unnamedText } from './quota-ledger.ts';

/**
 * An asker, and the virtual pods that it gets. These are simulated, and are in no cluster: room is held, and nodes are
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
  readonly left: (namespace: string) => number;
  readonly use: (namespace: string, count: number) => void;
}

/** @param most `maxHeadroomPerNamespace`; 0: unlimited. */
export function createNamespaceHeadroom(most: number): NamespaceHeadroom {
  const used = new Map<string, number>();
  return {
    left: (namespace) => (most === 0 ? Number.POSITIVE_INFINITY : Math.max(0, most - (used.get(namespace) ?? 0))),
    use: (namespace, count) => {
      addCount(used, namespace, count);
    },
  };
}

type AgedObject = Pick<CapacityBuffer, 'namespace' | 'name' | 'createdAt'>;

/** A buffer with the pods that it asks for, or the reason why the pods are unknown. */
interface Asking {
  readonly buffer: CapacityBuffer;
  readonly room: Result<RequestedPods, string>;
}

/** A buffer with the number of pods that it may have, and the reasons for a smaller number than it asks for. */
interface Limited extends Asking {
  readonly count: number;
  readonly quotas: readonly string[];
  readonly problem: string | null;
}

/**
 * Everything that asks for room, by name. The ResourceQuotas of a namespace and `maxHeadroomPerNamespace` are used up by its buffers in
 * the order of their age; the limit of the cluster is shared among namespaces.
 */
export function headroomIn(
  { objects, options }: Pick<Scenario, 'objects' | 'options'>,
  quotas: QuotaLedger,
  headroom: NamespaceHeadroom,
): readonly HeadroomRequest[] {
  if (!options.capacityBuffers) {
    return [];
  }
  const limited = new Map<CapacityBuffer, Limited>();
  for (const buffer of objects.capacityBuffers.toSorted(oldestFirst)) {
    const asking = { buffer, room: bufferRoom(buffer, objects) };
    limited.set(buffer, limitedByNamespace(asking, quotas, headroom, options.maxHeadroomPerNamespace));
  }
  const all = objects.capacityBuffers.map((buffer) => getExisting(limited, buffer));
  const shares = fairShares(
    all.map(({ buffer: { namespace }, count }) => ({ namespace, count })),
    MAX_VIRTUAL_PODS,
  );
  return all.map((one, i) => wantedOf(one, itemAt(shares, i)));
}

/** By age; of equals by name. */
export const oldestFirst = (a: AgedObject, b: AgedObject): number =>
  (a.createdAt ?? 0) - (b.createdAt ?? 0) || byName(a.namespace, b.namespace) || byName(a.name, b.name);

function limitedByNamespace(asking: Asking, quotas: QuotaLedger, headroom: NamespaceHeadroom, most: number): Limited {
  if (!asking.room.ok) {
    return { ...asking, count: 0, quotas: [], problem: asking.room.error };
  }
  const { namespace } = asking.buffer;
  const demand = { namespace, ...asking.room.value };
  const granted = quotas.grantFor(demand);
  const count = Math.min(granted.count, headroom.left(namespace));
  quotas.use(demand, count);
  headroom.use(namespace, count);
  if (granted.unnamed.length > 0) {
    return { ...asking, count, quotas: granted.quotas, problem: unnamedText(granted) };
  }
  const problem = `limited from ${granted.count} to ${count}: maxHeadroomPerNamespace is ${most} for namespace ${namespace}`;
  return { ...asking, count, quotas: granted.quotas, problem: count < granted.count ? problem : null };
}

function wantedOf({ buffer, room, count, quotas, problem }: Limited, held: number): HeadroomRequest {
  const name = `${buffer.namespace}/${buffer.name}`;
  const about = { source: 'CapacityBuffer' as const, name };
  if (!room.ok) {
    return { ...about, pod: null, count: 0, limit: null, problem };
  }
  const { pod, count: asked } = room.value;
  const overall = `limited from ${count} to ${held}: a cluster has ${MAX_VIRTUAL_PODS} virtual pods at most`;
  return {
    ...about,
    pod,
    count: held,
    limit: quotas.length === 0 ? null : { from: asked, to: count, quotas },
    problem: held < count ? overall : problem,
  };
}
