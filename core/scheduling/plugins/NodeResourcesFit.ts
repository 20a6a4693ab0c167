import { itemAt } from '../../model/values/existing.ts';
import type { NodeName } from '../../model/values/names.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { PODS_INDEX } from '../../model/snapshot/resource-table.ts';
import { deviceResources, isAllocatedByDevice } from '../device-classes.ts';
import { type KindFilter, type Plugin, rejection, type Rejection } from '../plugin.ts';

/**
 * Everything requested must be free, and so must a place among the node's pods. A pod that asks for nothing needs only
 * that place; a zero request of a resource passes on nodes that do not have it. What expendable pods have is not free for a pod that
 * never preempts. Follows kube-scheduler 1.35,
 * plugins/noderesources (fit.go).
 */
export const nodeResourcesFit: Plugin = {
  name: 'NodeResourcesFit',
  prepare: ({ snapshot, objects }) => {
    const { names } = snapshot.resources;
    const devices = deviceResources(objects);
    return (kind) => {
      const { requestIndex, requestAmount } = kind;
      const size = requestIndex.length;
      const isShort = (free: readonly number[], i: number): boolean =>
        // Negated, because a resource that the node does not have is `undefined` here.
        !(free[requestIndex[i]!]! >= requestAmount[i]!);
      /** By what is short, a bit for each: few of the combinations ever occur. */
      const rejections = new Map<number, Rejection>();
      const reject = (free: readonly number[]): Rejection => {
        let short = free[PODS_INDEX]! >= 1 ? 0 : 1;
        for (let i = 0, bit = 2; i < size; i++, bit *= 2) {
          short += isShort(free, i) ? bit : 0;
        }
        let made = rejections.get(short);
        if (made === undefined) {
          const lacking = requestIndex
            .filter((_, i) => isShort(free, i))
            .map((index) => `Insufficient ${names[index]!}`);
          made = rejection('NodeResourcesFit', ...(short % 2 === 1 ? ['Too many pods'] : []), ...lacking);
          rejections.set(short, made);
        }
        return made;
      };
      const filter: KindFilter = {
        node: ({ free }) => {
          let short = !(free[PODS_INDEX]! >= 1);
          for (let i = 0; i < size && !short; i++) {
            short = isShort(free, i);
          }
          return short ? reject(free) : null;
        },
        room: ({ free }) => {
          let room = Math.max(0, free[PODS_INDEX]!);
          for (let i = 0; i < size; i++) {
            room = Math.min(room, Math.floor((free[requestIndex[i]!] ?? 0) / requestAmount[i]!));
          }
          return Math.max(0, room);
        },
      };
      const { expendable } = snapshot;
      const own = expendable.size > 0 && kind.spec.preemptionPolicy === 'Never' ? beside(expendable, filter) : filter;
      const ofDevices = requestIndex.filter((index) => devices.has(itemAt(names, index)));
      return ofDevices.length === 0 ? own : besideDevices(ofDevices, names, own);
    };
  },
};

/** The filter without the requests that devices are allocated for: the plugin of dynamic resource allocation looks at these. */
const besideDevices = (
  indexes: readonly number[],
  names: readonly string[],
  { node, room }: KindFilter,
): KindFilter => ({
  node: (info) => {
    const allocated = indexes.filter((index) => isAllocatedByDevice(info.node, itemAt(names, index)));
    if (allocated.length === 0) {
      return node(info);
    }
    const free = [...info.free];
    for (const index of allocated) {
      free[index] = Number.POSITIVE_INFINITY;
    }
    return node({ ...info, free });
  },
  room,
});

/** The filter on nodes without the capacity that expendable pods request. */
function beside(expendable: ReadonlyMap<NodeName, readonly number[]>, { node, room }: KindFilter): KindFilter {
  const without = (info: NodeInfo): NodeInfo => {
    const requested = expendable.get(info.name);
    if (requested === undefined) {
      return info;
    }
    return { ...info, free: info.free.map((amount, index) => amount - (requested[index] ?? 0)) };
  };
  return { node: (info) => node(without(info)), room: (info) => room(without(info)) };
}
