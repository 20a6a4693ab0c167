import type { ClusterReader } from '../../core/ports/cluster.ts';
import { EVERYTHING, type ReadScope } from '../../core/model/read-scope.ts';
import { type ClusterObjects, NO_OBJECTS } from '../../core/model/scenario.ts';
import { daemonSetsAmong } from '../../core/model/cluster/controller-lists.ts';
import type { ApiCalls } from './api-call.ts';
import type { ApiServer } from './api-server.ts';

/** Reads the simulated cluster: like the real one, nodes first, then time passes, then pods. */
export function createReader(api: ApiServer, calls: ApiCalls): ClusterReader {
  return {
    hasPendingPods: (signal) =>
      calls.make(
        { service: 'kubernetes', operation: 'ListUnschedulablePods' },
        () =>
          api.pods
            .values()
            .some(({ nodeName, unscheduled }) => nodeName === null && unscheduled?.reason === 'Unschedulable'),
        signal,
      ),
    glance: (signal) =>
      calls.make(
        { service: 'kubernetes', operation: 'CountObjects' },
        () => ({
          waiting: api.pods
            .values()
            .some(
              ({ nodeName, unscheduled, phase }) =>
                nodeName === null && phase === 'Pending' && unscheduled?.reason !== 'SchedulingGated',
            ),
          nodes: api.nodes.size,
          pods: api.pods.size,
        }),
        signal,
      ),
    read: async (signal, scope = EVERYTHING) => {
      const nodes = await calls.make({ service: 'kubernetes', operation: 'ListNodes' }, api.listNodes, signal);
      return await calls.make(
        { service: 'kubernetes', operation: 'ListPods' },
        () => ({ objects: { ...within(scope, api.objects()), nodes }, rejected: [] }),
        signal,
      );
    },
    readNodes: (signal) =>
      calls.make(
        { service: 'kubernetes', operation: 'ListNodes' },
        () => ({ objects: { ...NO_OBJECTS, nodes: api.listNodes() }, rejected: [] }),
        signal,
      ),
    readNode: async (name, signal, scope = 'with pods') => {
      const node = await calls.make({ service: 'kubernetes', operation: 'GetNode' }, () => api.nodes.get(name), signal);
      if (node === undefined) {
        return { objects: NO_OBJECTS, rejected: [] };
      }
      if (scope === 'alone') {
        return { objects: { ...NO_OBJECTS, nodes: [node] }, rejected: [] };
      }
      return await calls.make(
        { service: 'kubernetes', operation: 'ListPodsOfNode' },
        () => {
          const objects = api.objects();
          const pods = objects.pods.filter(({ nodeName }) => nodeName === name);
          return { objects: { ...objects, nodes: [node], pods }, rejected: [] };
        },
        signal,
      );
    },
    // Pods of this world have no volumes.
    attachedVolumes: async () => [],
  };
}

/** The resources that would be read from the API server. */
const within = ({ budgets, controllers }: ReadScope, objects: ClusterObjects): ClusterObjects => ({
  ...objects,
  podDisruptionBudgets: budgets ? objects.podDisruptionBudgets : [],
  controllers: controllers === 'all' ? objects.controllers : daemonSetsAmong(objects.controllers),
});
