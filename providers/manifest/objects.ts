import { apiGroupOf } from '@outrigger/core/model/cluster/workloads.ts';
import { getOwn } from '@outrigger/core/model/values/existing.ts';
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

/** A kind with the API version, the API group, the list and the reader of its objects. */
export interface Kind<C extends Collection = Collection> {
  readonly apiVersion: string;
  readonly apiGroup: string;
  readonly collection: C;
  /** Created once for all objects of the kind. */
  readonly reader: () => SectionReader<ObjectLists[C][number]>;
}

const kind = <C extends Collection>(
  apiVersion: string,
  collection: C,
  reader: () => SectionReader<ObjectLists[C][number]>,
): Kind<C> => ({ apiVersion, apiGroup: apiGroupOf(apiVersion), collection, reader });

/** Every kind that decisions depend on. */
export const KINDS: Readonly<Record<string, Kind>> = {
  Node: kind('v1', 'nodes', () => nodeReader),
  Pod: kind('v1', 'pods', podReader),
  ReplicaSet: kind('apps/v1', 'controllers', () => controllerReader('ReplicaSet')),
  Deployment: kind('apps/v1', 'controllers', () => controllerReader('Deployment')),
  StatefulSet: kind('apps/v1', 'controllers', () => controllerReader('StatefulSet')),
  DaemonSet: kind('apps/v1', 'controllers', () => controllerReader('DaemonSet')),
  Job: kind('batch/v1', 'controllers', () => controllerReader('Job')),
  ReplicationController: kind('v1', 'controllers', () => controllerReader('ReplicationController')),
  PodDisruptionBudget: kind('policy/v1', 'podDisruptionBudgets', () => podDisruptionBudgetReader),
  Namespace: kind('v1', 'namespaces', () => namespaceReader),
  PriorityClass: kind('scheduling.k8s.io/v1', 'priorityClasses', () => priorityClassReader),
  ConfigMap: kind('v1', 'configMaps', () => configMapReader),
  PersistentVolume: kind('v1', 'persistentVolumes', () => persistentVolumeReader),
  PersistentVolumeClaim: kind('v1', 'persistentVolumeClaims', () => persistentVolumeClaimReader),
  StorageClass: kind('storage.k8s.io/v1', 'storageClasses', () => storageClassReader),
  CSIDriver: kind('storage.k8s.io/v1', 'csiDrivers', () => csiDriverReader),
  CSINode: kind('storage.k8s.io/v1', 'csiNodes', () => csiNodeReader),
  VolumeAttachment: kind('storage.k8s.io/v1', 'volumeAttachments', () => volumeAttachmentReader),
  ResourceSlice: kind('resource.k8s.io/v1', 'resourceSlices', () => resourceSliceReader),
  DeviceClass: kind('resource.k8s.io/v1', 'deviceClasses', () => deviceClassReader),
  CapacityBuffer: kind(`${AUTOSCALING_GROUP}/v1beta1`, 'capacityBuffers', () => capacityBufferReader),
  ResourceQuota: kind('v1', 'resourceQuotas', () => resourceQuotaReader),
  ProvisioningRequest: kind(`${AUTOSCALING_GROUP}/v1`, 'provisioningRequests', () => provisioningRequestReader),
  CapacityQuota: kind(`${AUTOSCALING_GROUP}/v1beta1`, 'capacityQuotas', () => capacityQuotaReader),
  PodGroup: kind('scheduling.k8s.io/v1beta1', 'podGroups', () => podGroupReader),
  PodTemplate: kind('v1', 'podTemplates', () => podTemplateReader),
};

/** The whole manifest of an object, of which the writer gives all but the kind. */
const whole =
  <T>(name: string, write: (of: T) => Manifest) =>
  (of: T): Manifest => ({ apiVersion: getOwn(KINDS, name).apiVersion, kind: name, ...write(of) });

/** Writes all objects as manifests, kind by kind. */
export const writeObjects = (objects: ClusterObjects): readonly Manifest[] => [
  ...objects.namespaces.map(whole('Namespace', writeNamespace)),
  ...objects.priorityClasses.map(whole('PriorityClass', writePriorityClass)),
  ...objects.configMaps.map(whole('ConfigMap', writeConfigMap)),
  ...objects.storageClasses.map(whole('StorageClass', writeStorageClass)),
  ...objects.persistentVolumes.map(whole('PersistentVolume', writePersistentVolume)),
  ...objects.persistentVolumeClaims.map(whole('PersistentVolumeClaim', writePersistentVolumeClaim)),
  ...objects.csiDrivers.map(whole('CSIDriver', writeCsiDriver)),
  ...objects.csiNodes.map(whole('CSINode', writeCsiNode)),
  ...objects.volumeAttachments.map(whole('VolumeAttachment', writeVolumeAttachment)),
  ...objects.resourceSlices.map(whole('ResourceSlice', writeResourceSlice)),
  ...objects.deviceClasses.map(whole('DeviceClass', writeDeviceClass)),
  ...objects.capacityBuffers.map(whole('CapacityBuffer', writeCapacityBuffer)),
  ...objects.resourceQuotas.map(whole('ResourceQuota', writeResourceQuota)),
  ...objects.provisioningRequests.map(whole('ProvisioningRequest', writeProvisioningRequest)),
  ...objects.capacityQuotas.map(whole('CapacityQuota', writeCapacityQuota)),
  ...objects.podGroups.map(whole('PodGroup', writePodGroup)),
  ...objects.podTemplates.map(whole('PodTemplate', writePodTemplate)),
  ...objects.nodes.map(writeNode),
  ...objects.controllers.map(writeController),
  ...objects.podDisruptionBudgets.map(whole('PodDisruptionBudget', writePodDisruptionBudget)),
  ...objects.pods.map(writePod),
];
