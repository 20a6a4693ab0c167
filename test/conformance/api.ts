import { setTimeout as delay } from 'node:timers/promises';
import { type ClusterObjects, NO_OBJECTS } from '../../core/model/scenario.ts';
import { KINDS } from '../../providers/manifest/objects.ts';
import { type Kube, KubeError, type KubeObject } from '../e2e/servers/kube.ts';
import { type Cluster, type Manifest, NAMESPACES } from './cluster.ts';
import { settled } from '../manifest-readers.ts';

const PLURALS: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  Node: '/api/v1/nodes',
  Pod: '/api/v1/namespaces/NS/pods',
  PersistentVolume: '/api/v1/persistentvolumes',
  PersistentVolumeClaim: '/api/v1/namespaces/NS/persistentvolumeclaims',
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
  CSIDriver: '/apis/storage.k8s.io/v1/csidrivers',
  CSINode: '/apis/storage.k8s.io/v1/csinodes',
  VolumeAttachment: '/apis/storage.k8s.io/v1/volumeattachments',
  DeviceClass: '/apis/resource.k8s.io/v1/deviceclasses',
  PodGroup: '/apis/scheduling.k8s.io/v1beta1/namespaces/NS/podgroups',
  RuntimeClass: '/apis/node.k8s.io/v1/runtimeclasses',
};

const collectionOf = ({ kind, metadata }: Manifest): string => PLURALS[kind]!.replace('NS', metadata.namespace ?? '');
const pathOf = (object: Manifest): string => `${collectionOf(object)}/${object.metadata.name}`;

/**
 * Makes an object with its status; one with a deletion time is deleted and lingers. A pod that owns a claim is kept from
 * the scheduler until the claim is there.
 *
 * @returns why the API server does not take it; `null` when it does.
 */
export async function apply(api: Kube, object: Manifest): Promise<string | null> {
  const { ownedClaim, ...plain } = object;
  const { deletionTimestamp, ...metadata } = object.metadata;
  const gate = ownedClaim !== undefined && object.spec!['nodeName'] === undefined;
  const spec = gate ? { ...object.spec, schedulingGates: [{ name: 'example.com/claim' }] } : object.spec;
  let made: KubeObject;
  try {
    made = await api.create<KubeObject>(collectionOf(object), { ...plain, metadata, spec });
  } catch (error) {
    if (error instanceof KubeError && error.status === 422) {
      return error.message;
    }
    throw error;
  }
  if (ownedClaim !== undefined) {
    const { name, uid } = made.metadata!;
    const owner = { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true };
    const ownerReferences = ownedClaim.metadata.labels?.['stranger'] === undefined ? [owner] : [];
    await api.remove(pathOf(ownedClaim));
    await apply(api, { ...ownedClaim, metadata: { ...ownedClaim.metadata, ownerReferences } });
  }
  if (gate) {
    // The scheduler receives claims and pods on different streams.
    await delay(20);
    await api.patch(pathOf(object), { spec: { schedulingGates: null } });
  }
  // Nodes are taken with their status, as kubelets register; for the rest it is a resource of its own.
  if (object.status !== undefined && object.kind !== 'Node') {
    await api.patch(`${pathOf(object)}/status`, { status: object.status });
  }
  if (deletionTimestamp !== undefined) {
    await api.remove(pathOf(object), object.kind === 'Pod' ? 3600 : undefined);
  }
  return null;
}

export const remove = (api: Kube, object: Manifest): Promise<void> => api.remove(pathOf(object), 0);

/** Removes everything of a cluster. */
export async function clear(api: Kube, cluster: Cluster): Promise<void> {
  const kinds = new Set([...cluster.objects, ...cluster.pending].map(({ kind }) => kind));
  if ([...cluster.objects, ...cluster.pending].some(({ ownedClaim }) => ownedClaim !== undefined)) {
    kinds.add('PersistentVolumeClaim');
  }
  const held = cluster.objects.filter(({ metadata }) => metadata.finalizers !== undefined);
  // Objects that the API server has refused are not there.
  await Promise.all(
    held.map((object) => orNone(api.patch(pathOf(object), { metadata: { finalizers: null } }), undefined)),
  );
  const collections = [...kinds].flatMap((kind) =>
    PLURALS[kind]!.includes('NS')
      ? NAMESPACES.map(({ metadata }) => PLURALS[kind]!.replace('NS', metadata.name))
      : [PLURALS[kind]!],
  );
  await Promise.all(collections.map((collection) => api.removeAll(collection)));
}

/** The answer, or another value where the API server does not have the object or the kind. */
const orNone = <T>(answer: Promise<T>, none: T): Promise<T> =>
  answer.catch((error: unknown) => {
    if (error instanceof KubeError && error.status === 404) {
      return none;
    }
    throw error;
  });

/** Reads the cluster back, as the product does. */
export async function readObjects(api: Kube): Promise<ClusterObjects> {
  const lists = {
    nodes: 'Node',
    pods: 'Pod',
    namespaces: 'Namespace',
    persistentVolumes: 'PersistentVolume',
    persistentVolumeClaims: 'PersistentVolumeClaim',
    storageClasses: 'StorageClass',
    csiDrivers: 'CSIDriver',
    csiNodes: 'CSINode',
    volumeAttachments: 'VolumeAttachment',
    deviceClasses: 'DeviceClass',
    podGroups: 'PodGroup',
  } as const;
  const read = await Promise.all(
    Object.entries(lists).map(async ([collection, kind]) => {
      const items = await orNone(api.list(PLURALS[kind]!.replace('/namespaces/NS', '')), []);
      const reader = settled(KINDS[kind]!.reader());
      const objects = items.map((item) => {
        const result = reader(item, kind);
        if (!result.ok) {
          throw new Error(`${kind} ${item.metadata?.name} cannot be read: ${JSON.stringify(result.error)}`);
        }
        return result.value;
      });
      return [collection, objects] as const;
    }),
  );
  return { ...NO_OBJECTS, ...(Object.fromEntries(read) as unknown as Pick<ClusterObjects, keyof typeof lists>) };
}
