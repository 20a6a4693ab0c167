import type { ClusterReader } from '../../core/model/ports.ts';
import type { ApiCalls } from './api-call.ts';
import type { ApiServer } from './api-server.ts';

/** Reads the simulated cluster: like the real one, nodes first, then time passes, then pods. */
export function createReader(api: ApiServer, calls: ApiCalls): ClusterReader {
  return {
    hasPendingPods: async (signal) => {
      await calls.make({ service: 'kubernetes', operation: 'ListUnschedulablePods' }, signal);
      for (const { nodeName, unscheduled } of api.pods.values()) {
        if (nodeName === null && unscheduled?.reason === 'Unschedulable') {
          return true;
        }
      }
      return false;
    },
    read: async (signal) => {
      await calls.make({ service: 'kubernetes', operation: 'ListNodes' }, signal);
      const nodes = [...api.nodes.values()];
      await calls.make({ service: 'kubernetes', operation: 'ListPods' }, signal);
      return { objects: { ...api.objects(), nodes }, rejected: [] };
    },
  };
}
