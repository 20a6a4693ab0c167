import { PODS_INDEX } from '../../model/snapshot/resource-table.ts';
import { type Plugin, rejection, type Rejection } from '../plugin.ts';

/**
 * Everything requested must be free, and so must a place among the node's pods. A pod that asks for nothing needs only
 * that place; a zero request of a resource passes on nodes that do not have it. Follows kube-scheduler 1.35,
 * plugins/noderesources (fit.go).
 */
export const nodeResourcesFit: Plugin = {
  name: 'NodeResourcesFit',
  prepare: ({ snapshot }) => {
    const { names } = snapshot.resources;
    return (kind) => {
      const { requestIndex, requestAmount } = kind;
      const size = requestIndex.length;
      /** By what is short: few of the combinations ever occur. */
      const rejections = new Map<string, Rejection>();
      const reject = (free: Float64Array): Rejection => {
        const reasons = free[PODS_INDEX]! >= 1 ? [] : ['Too many pods'];
        for (let i = 0; i < size; i++) {
          if (!(free[requestIndex[i]!]! >= requestAmount[i]!)) {
            reasons.push(`Insufficient ${names[requestIndex[i]!]!}`);
          }
        }
        const key = reasons.join();
        let made = rejections.get(key);
        if (made === undefined) {
          made = rejection('NodeResourcesFit', ...reasons);
          rejections.set(key, made);
        }
        return made;
      };
      return {
        node: ({ free }) => {
          let short = !(free[PODS_INDEX]! >= 1);
          for (let i = 0; i < size && !short; i++) {
            // Negated, because a resource that the node does not have is `undefined` here.
            short = !(free[requestIndex[i]!]! >= requestAmount[i]!);
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
    };
  },
};
