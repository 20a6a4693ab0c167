import type { ClusterObjects, ObjectLists } from '@outrigger/core/model/scenario.ts';
import { AUTOSCALING_GROUP, capacityBufferReader, writeCapacityBuffer } from './capacity-buffer.ts';
import { capacityQuotaReader, writeCapacityQuota } from './capacity-quota.ts';
import { configMapReader, writeConfigMap } from './config-map.ts';
import { controllerReader, writeController } from './controller.ts';
import { csiDriverReader, writeCsiDriver } from './csi-driver.ts';
import { csiNodeReader, writeCsiNode } from './csi-node.ts';
import type { Manifest, SectionReader } from './fields.ts';
import { namespaceReader, writeNamespace } from './namespace.ts';
import { nodeReader, writeNode } from './node.ts';
import { persistentVolumeClaimReader, writePersistentVolumeClaim } from './persistent-volume-claim.ts';
import { persistentVolumeReader, writePersistentVolume } from './persistent-volume.ts';
import { podDisruptionBudgetReader, writePodDisruptionBudget } from './pod-disruption-budget.ts';
import { podTemplateReader, writePodTemplate } from './pod-template.ts';
import { podGroupReader, writePodGroup } from './pod-group.ts';
import { deviceClassReader, writeDeviceClass } from './device-class.ts';
import { podReader, writePod } from './pod.ts';
import { priorityClassReader, writePriorityClass } from './priority-class.ts';
import { provisioningRequestReader, writeProvisioningRequest } from './provisioning-request.ts';
import { resourceQuotaReader, writeResourceQuota } from './resource-quota.ts';
import { resourceSliceReader, writeResourceSlice } from './resource-slice.ts';
import { storageClassReader, writeStorageClass } from './storage-class.ts';
import { volumeAttachmentReader, writeVolumeAttachment } from './volume-attachment.ts';

type Collection = keyof ObjectLists;

/** How one kind is read: its API group, its list, and its reader. */
export interface Kind<C extends Collection = Collection> {
  readonly apiGroup: string;
  readonly collection: C;
  /** Created once for all objects of the kind. */
  readonly reader: () => SectionReader<ObjectLists[C][number]>;
}

const kind = <C extends Collection>(
  apiGroup: string,
  collection: C,
  reader: () => SectionReader<ObjectLists[C][number]>,
): Kind<C> => ({ apiGroup, collection, reader });

/** Every kind that decisions depend on. */
export const KINDS: Readonly<Record<string, Kind>> = {
  Node: kind('', 'nodes', () => nodeReader),
  Pod: kind('', 'pods', podReader),
  ReplicaSet: kind('apps', 'controllers', () => controllerReader('ReplicaSet')),
  Deployment: kind('apps', 'controllers', () => controllerReader('Deployment')),
  StatefulSet: kind('apps', 'controllers', () => controllerReader('StatefulSet')),
  DaemonSet: kind('apps', 'controllers', () => controllerReader('DaemonSet')),
  Job: kind('batch', 'controllers', () => controllerReader('Job')),
  ReplicationController: kind('', 'controllers', () => controllerReader('ReplicationController')),
  PodDisruptionBudget: kind('policy', 'podDisruptionBudgets', () => podDisruptionBudgetReader),
  Namespace: kind('', 'namespaces', () => namespaceReader),
  PriorityClass: kind('scheduling.k8s.io', 'priorityClasses', () => priorityClassReader),
  ConfigMap: kind('', 'configMaps', () => configMapReader),
  PersistentVolume: kind('', 'persistentVolumes', () => persistentVolumeReader),
  PersistentVolumeClaim: kind('', 'persistentVolumeClaims', () => persistentVolumeClaimReader),
  StorageClass: kind('storage.k8s.io', 'storageClasses', () => storageClassReader),
  CSIDriver: kind('storage.k8s.io', 'csiDrivers', () => csiDriverReader),
  CSINode: kind('storage.k8s.io', 'csiNodes', () => csiNodeReader),
  VolumeAttachment: kind('storage.k8s.io', 'volumeAttachments', () => volumeAttachmentReader),
  ResourceSlice: kind('resource.k8s.io', 'resourceSlices', () => resourceSliceReader),
  DeviceClass: kind('resource.k8s.io', 'deviceClasses', () => deviceClassReader),
  CapacityBuffer: kind(AUTOSCALING_GROUP, 'capacityBuffers', () => capacityBufferReader),
  ResourceQuota: kind('', 'resourceQuotas', () => resourceQuotaReader),
  ProvisioningRequest: kind(AUTOSCALING_GROUP, 'provisioningRequests', () => provisioningRequestReader),
  CapacityQuota: kind(AUTOSCALING_GROUP, 'capacityQuotas', () => capacityQuotaReader),
  PodGroup: kind('scheduling.k8s.io', 'podGroups', () => podGroupReader),
  PodTemplate: kind('', 'podTemplates', () => podTemplateReader),
};

/** Writes all objects as manifests, kind by kind. */
export const writeObjects = (objects: ClusterObjects): readonly Manifest[] => [
  ...objects.namespaces.map(writeNamespace),
  ...objects.priorityClasses.map(writePriorityClass),
  ...objects.configMaps.map(writeConfigMap),
  ...objects.storageClasses.map(writeStorageClass),
  ...objects.persistentVolumes.map(writePersistentVolume),
  ...objects.persistentVolumeClaims.map(writePersistentVolumeClaim),
  ...objects.csiDrivers.map(writeCsiDriver),
  ...objects.csiNodes.map(writeCsiNode),
  ...objects.volumeAttachments.map(writeVolumeAttachment),
  ...objects.resourceSlices.map(writeResourceSlice),
  ...objects.deviceClasses.map(writeDeviceClass),
  ...objects.capacityBuffers.map(writeCapacityBuffer),
  ...objects.resourceQuotas.map(writeResourceQuota),
  ...objects.provisioningRequests.map(writeProvisioningRequest),
  ...objects.capacityQuotas.map(writeCapacityQuota),
  ...objects.podGroups.map(writePodGroup),
  ...objects.podTemplates.map(writePodTemplate),
  ...objects.nodes.map(writeNode),
  ...objects.controllers.map(writeController),
  ...objects.podDisruptionBudgets.map(writePodDisruptionBudget),
  ...objects.pods.map(writePod),
];
