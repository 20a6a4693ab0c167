import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { ClusterObservation, ClusterReader, RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { EVERYTHING, type ReadScope } from '@outrigger/core/model/read-scope.ts';
import { type ExcludedNode, type ClusterObjects, emptyCollections } from '@outrigger/core/model/scenario.ts';
import { isRefusal } from '../client/api-error.ts';
import type { ApiResource } from '../client/api-request.ts';
import {
  CONFIG_MAPS,
  CONTROLLERS,
  DAEMON_SETS,
  NODES,
  OTHERS,
  POD_DISRUPTION_BUDGETS,
  type ObservedKind,
  POD_LISTS,
} from './kinds.ts';
import { attachedVolumes } from './attached-volumes.ts';
import { listHeadroomSources, type HeadroomSources, type HeadroomKinds } from './headroom-sources.ts';
import { countOf } from './count.ts';
import { withPodGroups } from './pod-groups.ts';
import { nodeItself, readNodeView } from './node-view.ts';
import { getOne } from './single.ts';
import { orNone } from './json-list.ts';
import { serverVersionReader } from './server-version.ts';
import { listAll, listingOf } from './list.ts';
import { pagesOf } from './pages.ts';
import { type CachedLists, cachedLists, type CachedListsOptions } from './view/cached-lists.ts';
import { explainInvalid } from '../../manifest/invalid.ts';
import type { ObservedObject } from './observed.ts';
import { withShortTimeout } from '../../with-short-timeout.ts';
import type { Part } from './part.ts';
import type { Transport } from '../client/transport.ts';

export interface ClusterReaderOptions {
  /** Most objects per page: 5 000 pods are 30 to 40 MB, unpacked. Pages that would be too large are smaller. */
  readonly pageSize: number;
  /** ConfigMaps that decisions depend on; those that do not exist are left out. */
  readonly configMaps: readonly { readonly namespace: string; readonly name: string }[];
  /** Whether CapacityBuffers, ProvisioningRequests and CapacityQuotas are read. */
  readonly headroomKinds: HeadroomKinds;
  /** How long lists are kept between two reads and brought up to date by watches; `null`: all are read in full. */
  readonly kept: Partial<CachedListsOptions> | null;
  /** Is told when the version of the API server is unknown. */
  readonly warn: (message: string) => void;
}

export const DEFAULT_READER: ClusterReaderOptions = Object.freeze({
  pageSize: 5_000,
  configMaps: [{ namespace: 'kube-system', name: 'cluster-autoscaler-priority-expander' }],
  headroomKinds: { capacityBuffers: false, provisioningRequests: false, capacityQuotas: false },
  kept: null,
  warn: () => {},
});

/** The resources that the reader lists, for its ClusterRole. */
export const LISTED_RESOURCES: readonly ApiResource[] = [NODES, POD_LISTS, ...OTHERS].map(({ resource }) => resource);

/** Kinds of which a large cluster has many: their lists are worth being kept. */
const LONG_LISTS: readonly ObservedKind[] = [
  NODES,
  POD_LISTS,
  ...CONTROLLERS.filter(({ kind }) => kind === 'ReplicaSet' || kind === 'Job'),
];

/** The resources that the reader watches where lists are kept, for its ClusterRole. */
export const WATCHED_RESOURCES: readonly ApiResource[] = LONG_LISTS.map(({ resource }) => resource);

const PENDING = { fieldSelector: 'spec.nodeName=,status.phase=Pending' };
const UNFINISHED = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };
const UNFINISHED_PODS = { kind: POD_LISTS, query: UNFINISHED };

const NEVER = new AbortController().signal;

/** A single unschedulable pod is enough, and is nearly always on the first small page. */
const PENDING_PAGE = 500;

/**
 * Reads a cluster through its API server.
 *
 * Every kind must be readable, but for those with `noneBy`: without its CSINodes, for example, volumes would have no limits, and
 * decisions would be wrong without any error. A refused request fails the whole read with the missing RBAC rule.
 */
export function clusterReader(transport: Transport, options: ClusterReaderOptions = DEFAULT_READER): ClusterReader {
  const { pageSize } = options;
  const kept = mapOptional(options.kept, (given) => cachedLists(transport, { pageSize, ...given }));
  const list = listing(transport, kept, pageSize);
  const readVersion = serverVersionReader(transport, options.warn);
  return {
    hasPendingPods: (signal) =>
      somePending(transport, ({ unscheduled }) => unscheduled?.reason === 'Unschedulable', signal),

    async summarize(signal) {
      const until = withShortTimeout(signal);
      const [waiting, nodes, pods] = await Promise.all([
        somePending(transport, ({ unscheduled }) => unscheduled?.reason !== 'SchedulingGated', until),
        countOf(transport, NODES, until),
        countOf(transport, POD_LISTS, until),
      ]);
      return { waiting, nodes, pods };
    },

    async read(signal, scope = EVERYTHING) {
      const stop = new AbortController();
      const until = AbortSignal.any([signal, stop.signal].filter((one) => one !== undefined));
      try {
        kept?.prepare(UNFINISHED_PODS, until);
        const [kubernetesMinor, askers, ...parts] = await Promise.all([
          readVersion(until),
          listHeadroomSources(transport, options.headroomKinds, pageSize, until),
          nodesThenPods(list, until),
          ...othersIn(scope).map(async (kind) => [await list(kind, {}, until)]),
          ...options.configMaps.map(async (of) => [
            { kind: CONFIG_MAPS, page: await getOne(transport, CONFIG_MAPS, of, until) },
          ]),
        ]);
        const observed = withHeadroomSources(observationOf(parts.flat()), askers);
        const { objects, ...rest } = await withPodGroups(transport, observed, pageSize, until);
        return { ...rest, objects: { ...objects, ...present({ kubernetesMinor }) } };
      } finally {
        // When one list fails the rest is aborted; after success there is nothing to abort.
        stop.abort();
      }
    },

    readNodes: async (signal) => observationOf([await list(NODES, {}, signal ?? NEVER)]),

    async readNode(node, signal, scope = 'with pods') {
      if (scope === 'alone') {
        return observationOf([await nodeItself(transport, node, signal)]);
      }
      return observationOf(await readNodeView(transport, node, pageSize, signal));
    },

    attachedVolumes: (node, signal) => attachedVolumes(transport, node, pageSize, signal),

    saveSnapshots: async (signal) => await kept?.save(signal ?? NEVER),
  };
}

/**
 * Lists a kind.
 *
 * @param known is called when no change that comes later will be shown; again where what is shown is of a later moment after all.
 */
type List = (
  kind: ObservedKind,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
  known?: () => void,
) => Promise<Part>;

/** Lists in full, or keeps what is long. */
function listing(transport: Transport, kept: CachedLists | null, pageSize: number): List {
  return async (kind, query, signal, known = () => {}) => {
    if (kept !== null && LONG_LISTS.includes(kind)) {
      const page = await kept.list({ kind, query }, signal, known);
      return { kind, page, differing: page.differing ?? 0 };
    }
    const page = await orNone(kind.noneBy, listAll(transport, kind, { query, pageSize }, signal));
    known();
    return { kind, page };
  };
}

/** Pods are asked for when the nodes are those of a moment that has passed. */
async function nodesThenPods(list: List, signal: AbortSignal): Promise<readonly Part[]> {
  const moment = Promise.withResolvers<void>();
  let moments = 0;
  const nodesOfMoment = list(NODES, {}, signal, () => {
    moments += 1;
    moment.resolve();
  });
  const listPods = (): Promise<Part> => list(POD_LISTS, UNFINISHED, signal);
  const [nodes, pods] = await Promise.all([nodesOfMoment, moment.promise.then(listPods)]);
  // Nodes that were read again are later than these pods.
  return [nodes, moments > 1 ? await listPods() : pods];
}

/** Does such a pod exist among the pods without a node that have not ended? */
async function somePending(
  transport: Transport,
  isMeant: (pod: Pod) => boolean,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const query = { query: PENDING, pageSize: PENDING_PAGE };
    for await (const { items } of pagesOf(transport, listingOf(POD_LISTS), query, signal)) {
      if ((items as readonly Pod[]).some(isMeant)) {
        return true;
      }
    }
    return false;
  } catch (error) {
    // The resource version of the first page has expired: the cluster changes too fast to conclude that no pod is
    // pending.
    if (isRefusal(error, 410)) {
      return true;
    }
    throw error;
  }
}

/** DaemonSets are always read: new nodes will have their pods. */
const othersIn = ({ budgets, controllers }: ReadScope): readonly ObservedKind[] =>
  OTHERS.filter(
    (kind) =>
      (budgets || kind !== POD_DISRUPTION_BUDGETS) &&
      (controllers === 'all' || kind === DAEMON_SETS || !CONTROLLERS.includes(kind)),
  );

const withHeadroomSources = (
  observed: ClusterObservation,
  { rejected, ...found }: HeadroomSources,
): ClusterObservation => ({
  ...observed,
  objects: { ...observed.objects, ...found },
  rejected: [...observed.rejected, ...rejected],
});

function observationOf(parts: readonly Part[]): ClusterObservation {
  const objects = emptyCollections<ObservedObject>();
  const rejected: RejectedObject[] = [];
  const excludedNodes: ExcludedNode[] = [];
  let differing = 0;
  for (const { kind, page, differing: ofKind = 0 } of parts) {
    differing += ofKind;
    const collection = objects[kind.collection];
    for (const item of page.items) {
      collection.push(item);
    }
    for (const one of page.rejected) {
      rejected.push(one);
      if (one.excludes !== undefined) {
        excludedNodes.push({ ...one.excludes, message: clip(explainInvalid(one)) });
      }
    }
  }
  // Each kind's reader returns its collection's type, which the record's type does not express.
  return {
    objects: { ...(objects as unknown as ClusterObjects), excludedNodes },
    rejected,
    differing: differing || undefined,
  };
}
