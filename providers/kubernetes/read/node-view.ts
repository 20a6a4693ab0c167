import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import type { NodeName } from '@outrigger/core/model/values/names.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import { ownKindOf } from '@outrigger/core/model/cluster/workloads.ts';
import {
  CONTROLLERS,
  NODES,
  type ObservedKind,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  POD_LISTS,
} from './kinds.ts';
import { isRefusal } from '../client/api-error.ts';
import { listAll } from './list.ts';
import type { Page } from './json-page.ts';
import type { ObservedObject } from './observed.ts';
import type { Part } from './part.ts';
import { getOne } from './single.ts';
import type { Transport } from '../client/transport.ts';

/** The node; empty where it does not exist. */
export const nodeItself = async (transport: Transport, name: NodeName, signal?: AbortSignal): Promise<Part> => ({
  kind: NODES,
  page: await getOne(transport, NODES, { namespace: null, name }, signal),
});

/**
 * Reads one node and the objects that may block the eviction of its pods. The number of requests is that of the pods'
 * namespaces, controllers and claims, however large the cluster is.
 *
 * Names of controllers and claims come from the pods. A name that no object can have is not requested; a refused
 * request for a single object affects that object only, which is among the rejected. Refused requests for the node, the
 * list of its pods or budgets fail the whole view.
 */
export async function readNodeView(
  transport: Transport,
  node: NodeName,
  pageSize: number,
  signal?: AbortSignal,
): Promise<readonly Part[]> {
  const found = await nodeItself(transport, node, signal);
  if (found.page.items.length === 0 && found.page.rejected.length === 0) {
    return [found];
  }
  const here = { fieldSelector: `spec.nodeName=${node}` };
  const pods = { kind: POD_LISTS, page: await listAll(transport, POD_LISTS, { query: here, pageSize }, signal) };
  const items = pods.page.items as readonly Pod[];
  const single = async (kind: ObservedKind, of: Named): Promise<Part> => ({
    kind,
    page: await getOne(transport, kind, of, signal).catch((error: unknown) => refusedPage(kind, of, error)),
  });
  return [
    found,
    pods,
    ...(await Promise.all([
      ...namespacesOf(items).map(async (namespace) => ({
        kind: POD_DISRUPTION_BUDGETS,
        page: await listAll(transport, POD_DISRUPTION_BUDGETS, { pageSize, namespace }, signal),
      })),
      ...controllersOf(items).map(async ({ kind, ...of }) => await single(kind, of)),
      ...claimsOf(items).map(async (of) => await single(PERSISTENT_VOLUME_CLAIMS, of)),
    ])),
  ];
}

const namespacesOf = (pods: readonly Pod[]): readonly string[] => [...new Set(pods.map(({ namespace }) => namespace))];

/** The result for one object where a retry would not help; other errors are rethrown. */
function refusedPage({ kind }: ObservedKind, { namespace, name }: Named, error: unknown): Page<ObservedObject> {
  if (isRefusal(error, 400) || isRefusal(error, 403)) {
    const found = error instanceof Error ? clip(error.message) : '';
    const place = `${kind} ${namespace}/${name}`;
    return { items: [], rejected: [{ place, expected: 'a response of the API server', found }], continueToken: '' };
  }
  throw error;
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

const distinct = <T extends Named>(items: readonly T[]): readonly T[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
];

function controllersOf(pods: readonly Pod[]): readonly (Named & { readonly kind: ObservedKind })[] {
  const kinds = new Map<string, ObservedKind>(CONTROLLERS.map((kind) => [kind.kind, kind]));
  const named = pods.flatMap(({ namespace, controller }) => {
    if (controller === null) {
      return [];
    }
    const kind = ownKindOf(controller);
    return kind !== null && kinds.has(kind) ? [{ namespace, name: controller.name, controller: kind }] : [];
  });
  return distinct(named).map(({ namespace, name, controller }) => ({
    namespace,
    name,
    kind: getExisting(kinds, controller),
  }));
}

/** Claims by name, and those of ephemeral volumes, which are named after pod and volume. */
const claimsOf = (pods: readonly Pod[]): readonly Named[] =>
  distinct(
    pods.flatMap(({ namespace, name: pod, spec }) =>
      spec.volumes.flatMap((volume) => {
        if (volume.kind === 'claim') {
          return [{ namespace, name: volume.claimName }];
        }
        return volume.kind === 'ephemeralClaim' ? [{ namespace, name: `${pod}-${volume.name}` }] : [];
      }),
    ),
  );
