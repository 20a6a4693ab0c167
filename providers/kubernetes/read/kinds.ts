import { getOwn } from '@outrigger/core/model/values/existing.ts';
import type { ObjectLists } from '@outrigger/core/model/scenario.ts';
import type { ApiResource } from '../client/api-request.ts';
import { KINDS } from '../../manifest/objects.ts';
import type { SectionReader } from '../../manifest/fields.ts';
import type { MessageFields } from '../protobuf/message.ts';
import { NODE } from '../protobuf/node.ts';
import { POD } from '../protobuf/pod.ts';
import {
  CSI_DRIVER,
  CSI_NODE,
  PERSISTENT_VOLUME,
  PERSISTENT_VOLUME_CLAIM,
  STORAGE_CLASS,
  VOLUME_ATTACHMENT,
} from '../protobuf/storage.ts';
import { DEVICE_CLASS } from '../protobuf/device-class.ts';
import { RESOURCE_SLICE } from '../protobuf/resource-slice.ts';
import {
  CONFIG_MAP,
  DAEMON_SET,
  JOB,
  NAMESPACE,
  POD_DISRUPTION_BUDGET,
  PRIORITY_CLASS,
  REPLICATED,
} from '../protobuf/workloads.ts';

type Collection = keyof ObjectLists;

/** A kind of the API server, and how its objects are converted into the model's. */
export interface ObservedKind {
  readonly kind: string;
  readonly resource: ApiResource;
  readonly collection: Collection;
  /** The fields that are read. */
  readonly table: MessageFields;
  /** Converts an object in JSON's shape into the model's; created once for all objects of a list. */
  readonly reader: () => SectionReader<ObjectLists[Collection][number]>;
  /** Status codes by which the API server says that there are none; absent: a refusal is an error. */
  readonly noneBy?: readonly number[];
}

function observed(kind: string, resource: string, table: MessageFields): ObservedKind {
  const { apiGroup: group, collection, reader } = getOwn(KINDS, kind);
  return { kind, resource: { group, version: 'v1', resource }, collection, table, reader };
}

export const NODES = observed('Node', 'nodes', NODE);
export const POD_LISTS = observed('Pod', 'pods', POD);
export const CONFIG_MAPS = observed('ConfigMap', 'configmaps', CONFIG_MAP);

export const POD_DISRUPTION_BUDGETS = observed('PodDisruptionBudget', 'poddisruptionbudgets', POD_DISRUPTION_BUDGET);
export const PERSISTENT_VOLUME_CLAIMS = observed(
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
  PERSISTENT_VOLUME_CLAIM,
);
export const VOLUME_ATTACHMENTS = observed('VolumeAttachment', 'volumeattachments', VOLUME_ATTACHMENT);

export const DAEMON_SETS = observed('DaemonSet', 'daemonsets', DAEMON_SET);

/** Kinds of pods' controllers. */
export const CONTROLLERS: readonly ObservedKind[] = [
  observed('ReplicaSet', 'replicasets', REPLICATED),
  observed('StatefulSet', 'statefulsets', REPLICATED),
  DAEMON_SETS,
  observed('ReplicationController', 'replicationcontrollers', REPLICATED),
  observed('Job', 'jobs', JOB),
];

/** Kinds that a ClusterRole of an earlier version does not allow to list, and devices are served as v1 since Kubernetes 1.34. */
const OF_NEWER_ROLES = [
  observed('ResourceSlice', 'resourceslices', RESOURCE_SLICE),
  observed('DeviceClass', 'deviceclasses', DEVICE_CLASS),
  observed('CSIDriver', 'csidrivers', CSI_DRIVER),
].map((kind): ObservedKind => ({ ...kind, noneBy: [403, 404] }));

/** Kinds that are listed in full, beside nodes and pods. Deployments are not: they are no pod's controller. */
export const OTHERS: readonly ObservedKind[] = [
  ...CONTROLLERS,
  POD_DISRUPTION_BUDGETS,
  observed('Namespace', 'namespaces', NAMESPACE),
  observed('PriorityClass', 'priorityclasses', PRIORITY_CLASS),
  observed('PersistentVolume', 'persistentvolumes', PERSISTENT_VOLUME),
  PERSISTENT_VOLUME_CLAIMS,
  observed('StorageClass', 'storageclasses', STORAGE_CLASS),
  observed('CSINode', 'csinodes', CSI_NODE),
  VOLUME_ATTACHMENTS,
  ...OF_NEWER_ROLES,
];
