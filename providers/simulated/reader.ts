import type { ClusterReader } from '../../core/ports/cluster.ts';
import { EVERYTHING, type ReadScope } from '../../core/model/read-scope.ts';
import { type ClusterObjects, NO_OBJECTS } from '../../core/model/scenario.ts';
import { daemonSetsAmong } from '../../core/model/cluster/controller-lists.ts';
import type { ApiCalls } from './api-call.ts';
import type { ApiServer } from './api-server.ts';
import type { Clock } from './clock.ts';
import type { WorldFaults } from './world-faults.ts';

/** Reads the simulated cluster: like the real one, nodes first, then time passes, then pods. */
export function createReader(
  server: ApiServer,
  calls: ApiCalls,
  clock: Pick<Clock, 'now'>,
  { listLag }: Pick<WorldFaults, 'listLag'>,
): ClusterReader {
  const caches = watchCaches(server, clock, listLag);
  return {
    ...questionsTo(caches, calls),
    read: async (signal, scope = EVERYTHING) => {
      const nodes = await calls.make({ service: 'kubernetes', operation: 'ListNodes' }, caches.nodes, signal);
      return await calls.make(
        { service: 'kubernetes', operation: 'ListPods' },
        () => ({ objects: { ...within(scope, caches.objects()), nodes }, rejected: [] }),
        signal,
      );
    },
    readNodes: (signal) =>
      calls.make(
        { service: 'kubernetes', operation: 'ListNodes' },
        () => ({ objects: { ...NO_OBJECTS, nodes: caches.nodes() }, rejected: [] }),
        signal,
      ),
    readNode: async (name, signal, scope = 'with pods') => {
      const node = await calls.make(
        { service: 'kubernetes', operation: 'GetNode' },
        () => server.nodes.get(name),
        signal,
      );
      if (node === undefined) {
        return { objects: NO_OBJECTS, rejected: [] };
      }
      if (scope === 'alone') {
        return { objects: { ...NO_OBJECTS, nodes: [node] }, rejected: [] };
      }
      return await calls.make(
        { service: 'kubernetes', operation: 'ListPodsOfNode' },
        () => {
          const objects = caches.objects();
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

/** What is asked before all is read. */
const questionsTo = (
  caches: ReturnType<typeof watchCaches>,
  calls: ApiCalls,
): Pick<ClusterReader, 'hasPendingPods' | 'glance'> => ({
  hasPendingPods: (signal) =>
    calls.make(
      { service: 'kubernetes', operation: 'ListUnschedulablePods' },
      () =>
        caches.pods().some(({ nodeName, unscheduled }) => nodeName === null && unscheduled?.reason === 'Unschedulable'),
      signal,
    ),
  glance: (signal) =>
    calls.make(
      { service: 'kubernetes', operation: 'CountObjects' },
      () => ({
        waiting: caches
          .pods()
          .some(
            ({ nodeName, unscheduled, phase }) =>
              nodeName === null && phase === 'Pending' && unscheduled?.reason !== 'SchedulingGated',
          ),
        nodes: caches.nodes().length,
        pods: caches.pods().length,
      }),
      signal,
    ),
});

/** What the lists of the API server show: each comes from a watch cache of its own, which may be behind. */
function watchCaches({ listNodes, objects }: ApiServer, { now }: Pick<Clock, 'now'>, lag: WorldFaults['listLag']) {
  const behind = <T>(list: string, current: () => T): (() => T) => {
    let shown: { readonly answer: T; readonly until: number } | null = null;
    return () => {
      if (shown !== null && now() < shown.until) {
        return shown.answer;
      }
      const answer = current();
      const ms = lag(list);
      shown = ms > 0 ? { answer, until: now() + ms } : null;
      return answer;
    };
  };
  const pods = behind('pods', () => objects().pods);
  const controllers = behind('controllers', () => objects().controllers);
  const budgets = behind('poddisruptionbudgets', () => objects().podDisruptionBudgets);
  return {
    nodes: behind('nodes', listNodes),
    pods,
    objects: (): ClusterObjects => ({
      ...objects(),
      pods: pods(),
      controllers: controllers(),
      podDisruptionBudgets: budgets(),
    }),
  };
}

/** The resources that would be read from the API server. */
const within = ({ budgets, controllers }: ReadScope, objects: ClusterObjects): ClusterObjects => ({
  ...objects,
  podDisruptionBudgets: budgets ? objects.podDisruptionBudgets : [],
  controllers: controllers === 'all' ? objects.controllers : daemonSetsAmong(objects.controllers),
});
