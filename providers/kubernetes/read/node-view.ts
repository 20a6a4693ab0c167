import { getOptional, mapOptional } from '@outrigger/core/model/values/optional.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import type { NodeName } from '@outrigger/core/model/values/names.ts';
import type { Pod, Volume } from '@outrigger/core/model/cluster/pod.ts';
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
  const single = async (kind: ObservedKind, of: ObjectKey): Promise<Part> => ({
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
function refusedPage({ kind }: ObservedKind, { namespace, name }: ObjectKey, error: unknown): Page<ObservedObject> {
  if (!isRefusal(error, 400, 403)) {
    throw error;
  }
  const place = `${kind} ${namespace}/${name}`;
  return {
    items: [],
    rejected: [{ place, expected: 'a response of the API server', found: clip(messageOf(error)) }],
    continueToken: '',
  };
}

interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

function controllersOf(pods: readonly Pod[]): readonly (ObjectKey & { readonly kind: ObservedKind })[] {
  const kinds = new Map<string, ObservedKind>(CONTROLLERS.map((kind) => [kind.kind, kind]));
  const found = new Map<string, ObjectKey & { readonly kind: ObservedKind }>();
  for (const { namespace, controller } of pods) {
    const kind = getOptional(kinds, mapOptional(controller, ownKindOf));
    if (controller !== null && kind !== undefined) {
      found.set(`${kind.kind} ${namespace}/${controller.name}`, { namespace, name: controller.name, kind });
    }
  }
  return [...found.values()];
}

/** Claims by name, and those of ephemeral volumes, which are named after pod and volume. */
function claimsOf(pods: readonly Pod[]): readonly ObjectKey[] {
  const found = new Map<string, ObjectKey>();
  for (const { namespace, name: pod, spec } of pods) {
    for (const name of spec.volumes.map((volume) => claimNameOf(pod, volume)).filter((claim) => claim !== null)) {
      found.set(`${namespace}/${name}`, { namespace, name });
    }
  }
  return [...found.values()];
}

function claimNameOf(pod: string, volume: Volume): string | null {
  if (volume.kind === 'claim') {
    return volume.claimName;
  }
  return volume.kind === 'ephemeralClaim' ? `${pod}-${volume.name}` : null;
}
