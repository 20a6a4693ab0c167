import type { NodeName } from '../../core/model/names.ts';
import type { Pod } from '../../core/model/pod.ts';
import { ownKindOf } from '../../core/model/workloads.ts';
import {
  CONTROLLERS,
  NODES,
  type ObservedKind,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from './kinds.ts';
import { listAll } from './list.ts';
import type { Part } from './part.ts';
import { getOne } from './single.ts';
import type { Transport } from './transport.ts';

/**
 * One node and what may keep its pods from going: as many requests as these have namespaces, controllers and claims,
 * however large the cluster is.
 */
export async function readNode(
  transport: Transport,
  node: NodeName,
  pageSize: number,
  signal?: AbortSignal,
): Promise<readonly Part[]> {
  const found = { kind: NODES, page: await getOne(transport, NODES, { namespace: null, name: node }, signal) };
  if (found.page.items.length === 0 && found.page.rejected.length === 0) {
    return [found];
  }
  const here = { fieldSelector: `spec.nodeName=${node}` };
  const pods = { kind: PODS, page: await listAll(transport, PODS, here, pageSize, signal) };
  const items = pods.page.items as readonly Pod[];
  const single = async (kind: ObservedKind, of: { namespace: string; name: string }): Promise<Part> => ({
    kind,
    page: await getOne(transport, kind, of, signal),
  });
  return [
    found,
    pods,
    ...(await Promise.all([
      ...namespacesOf(items).map(async (namespace) => ({
        kind: POD_DISRUPTION_BUDGETS,
        page: await listAll(transport, POD_DISRUPTION_BUDGETS, {}, pageSize, signal, namespace),
      })),
      ...controllersOf(items).map(async ({ kind, ...of }) => await single(kind, of)),
      ...claimsOf(items).map(async (of) => await single(PERSISTENT_VOLUME_CLAIMS, of)),
    ])),
  ];
}

const namespacesOf = (pods: readonly Pod[]): readonly string[] => [...new Set(pods.map(({ namespace }) => namespace))];

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
    const kind = controller === null ? null : ownKindOf(controller);
    return kind !== null && kinds.has(kind) ? [{ namespace, name: controller!.name, controller: kind }] : [];
  });
  return distinct(named).map(({ namespace, name, controller }) => ({ namespace, name, kind: kinds.get(controller)! }));
}

/** Claims by their own names, and those of ephemeral volumes, which are named after pod and volume. */
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
