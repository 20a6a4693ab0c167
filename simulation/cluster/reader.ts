import type { ClusterReader } from '@outrigger/core/ports/cluster.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { EVERYTHING, type ReadScope } from '@outrigger/core/model/read-scope.ts';
import { type ClusterObjects, NO_OBJECTS } from '@outrigger/core/model/scenario.ts';
import { daemonSetsAmong } from '@outrigger/core/model/cluster/controller-lists.ts';
import type { ApiCalls } from '../api-call.ts';
import type { ApiServer } from './api-server.ts';
import type { Clock } from '../clock.ts';
import type { ListedObjects, WorldFaults } from '../world-faults.ts';

/**
 * Reads the simulated cluster as the real one is read: pods are asked for when the nodes are there, everything else at the start.
 * Each list is complete for a moment between its question and its answer, which may be seconds old when all are there; none is
 * older than its question.
 */
export function createReader(
  server: ApiServer,
  calls: ApiCalls,
  clock: Pick<Clock, 'now' | 'sleep'>,
  { listAge }: Pick<WorldFaults, 'listAge'>,
): ClusterReader {
  const arrival = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms > 0) {
      await clock.sleep(ms, signal);
    }
  };
  const listed = async <T>(list: ListedObjects, operation: string, show: () => T, signal?: AbortSignal): Promise<T> => {
    const answer = await calls.make({ service: 'kubernetes', operation }, show, signal);
    await arrival(listAge(list), signal);
    return answer;
  };
  /** Asked for while other lists are read: one that takes long shows what is now. */
  const meanwhile = <T>(list: ListedObjects, show: () => T): { readonly answer: () => T; readonly until: number } => {
    const until = clock.now() + listAge(list);
    if (until === clock.now()) {
      return { answer: show, until };
    }
    const shown = show();
    return { answer: () => shown, until };
  };
  const listNodes = (signal?: AbortSignal): Promise<readonly Node[]> =>
    listed('nodes', 'ListNodes', server.listNodes, signal);
  return {
    ...questionsTo(server, calls),
    read: async (signal, scope = EVERYTHING) => {
      const controllers = meanwhile('controllers', () => server.objects().controllers);
      const budgets = meanwhile('poddisruptionbudgets', () => server.objects().podDisruptionBudgets);
      const nodes = await listNodes(signal);
      const show = (): ClusterObjects => ({
        ...within(scope, {
          ...server.objects(),
          controllers: controllers.answer(),
          podDisruptionBudgets: budgets.answer(),
        }),
        nodes,
      });
      const objects = await listed('pods', 'ListPods', show, signal);
      await arrival(Math.max(controllers.until, budgets.until) - clock.now(), signal);
      return { objects, rejected: [] };
    },
    readNodes: async (signal) => ({ objects: { ...NO_OBJECTS, nodes: await listNodes(signal) }, rejected: [] }),
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
      const show = (): ClusterObjects => {
        const objects = server.objects();
        return { ...objects, nodes: [node], pods: objects.pods.filter(({ nodeName }) => nodeName === name) };
      };
      return { objects: await listed('pods', 'ListPodsOfNode', show, signal), rejected: [] };
    },
    attachedVolumes: attachedVolumesOf(server, calls),
  };
}

const attachedVolumesOf =
  (server: ApiServer, calls: ApiCalls): ClusterReader['attachedVolumes'] =>
  (name, signal) =>
    calls.make(
      { service: 'kubernetes', operation: 'ListVolumeAttachments' },
      () =>
        server
          .storage()
          .volumeAttachments.filter(({ nodeName, attached }) => nodeName === name && attached)
          .map(({ persistentVolume }) => persistentVolume)
          .filter((volume) => volume !== null),
      signal,
    );

/** The questions that are asked before all objects are read. */
const questionsTo = (
  { objects, listNodes }: ApiServer,
  calls: ApiCalls,
): Pick<ClusterReader, 'hasPendingPods' | 'summarize'> => ({
  hasPendingPods: (signal) =>
    calls.make(
      { service: 'kubernetes', operation: 'ListUnschedulablePods' },
      () =>
        objects().pods.some(
          ({ nodeName, unscheduled }) => nodeName === null && unscheduled?.reason === 'Unschedulable',
        ),
      signal,
    ),
  summarize: (signal) =>
    calls.make(
      { service: 'kubernetes', operation: 'CountObjects' },
      () => {
        const { pods } = objects();
        return {
          waiting: pods.some(
            ({ nodeName, unscheduled, phase }) =>
              nodeName === null && phase === 'Pending' && unscheduled?.reason !== 'SchedulingGated',
          ),
          nodes: listNodes().length,
          pods: pods.length,
        };
      },
      signal,
    ),
});

/** The resources that would be read from the API server. */
const within = ({ budgets, controllers }: ReadScope, objects: ClusterObjects): ClusterObjects => ({
  ...objects,
  podDisruptionBudgets: budgets ? objects.podDisruptionBudgets : [],
  controllers: controllers === 'all' ? objects.controllers : daemonSetsAmong(objects.controllers),
});
