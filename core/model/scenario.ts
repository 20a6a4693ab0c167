import type { NodeName } from './values/names.ts';
import type { CapacityBuffer, PodTemplate } from './cluster/capacity-buffer.ts';
import type { CapacityQuota } from './cluster/capacity-quota.ts';
import type { Node } from './cluster/node.ts';
import type { Commitment } from './commitment.ts';
import type { NodeGroup } from './node-group.ts';
import type { Notice } from './notice.ts';
import type { Options } from './options.ts';
import type { Pause } from './pause.ts';
import type { PodGroup } from './cluster/pod-group.ts';
import type { Pod } from './cluster/pod.ts';
import type { ProvisioningRequest } from './cluster/provisioning-request.ts';
import type { ResourceQuota } from './cluster/resource-quota.ts';
import type { KubernetesMinor } from './cluster/kubernetes-version.ts';
import type { DeviceClass } from './cluster/device-class.ts';
import type { ResourceSlice } from './cluster/resource-slice.ts';
import type { ExternalChoice } from './external-choice.ts';
import type { ProviderName } from './provider.ts';
import type { State } from './state.ts';
import type {
  CsiDriver,
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from './cluster/storage.ts';
import type { EpochMs } from './values/time.ts';
import type { ConfigMap, Controller, Namespace, PodDisruptionBudget, PriorityClass } from './cluster/workloads.ts';

/**
 * A node that something unreadable is on, or is about: the node's free capacity is unknown, and so are the pods that
 * its removal would end.
 */
export interface ExcludedNode {
  readonly node: NodeName;
  readonly reason: ExcludedNodeReason;
  /** The object and the place that cannot be read; empty where unknown. */
  readonly message: string;
}

/** `UnexpectedError`: an evaluation fails for the node or a pod on it, and sets it aside. */
export type ExcludedNodeReason =
  | 'UnreadableNode'
  | 'UnreadablePod'
  | 'UnreadableCSINode'
  | 'UnreadableVolumeAttachment'
  | 'UnexpectedError';

/** The lists of objects of the API server, projected to the fields that decisions use. */
export interface ObjectLists {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly controllers: readonly Controller[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly namespaces: readonly Namespace[];
  readonly priorityClasses: readonly PriorityClass[];
  readonly configMaps: readonly ConfigMap[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CsiNode[];
  readonly csiDrivers: readonly CsiDriver[];
  readonly volumeAttachments: readonly VolumeAttachment[];
  readonly resourceSlices: readonly ResourceSlice[];
  readonly deviceClasses: readonly DeviceClass[];
  /** With `capacityBuffers`, as are the templates of their pods, and the quotas of their namespaces. */
  readonly capacityBuffers: readonly CapacityBuffer[];
  readonly resourceQuotas: readonly ResourceQuota[];
  /** With `provisioningRequests`, as are the templates of their pods. */
  readonly provisioningRequests: readonly ProvisioningRequest[];
  readonly podTemplates: readonly PodTemplate[];
  /** With `capacityQuotas`. */
  readonly capacityQuotas: readonly CapacityQuota[];
  /** Read if a pod names a PodGroup. */
  readonly podGroups: readonly PodGroup[];
  /** Nodes that count as neither room nor removable. A excluded node that is missing in `nodes` exists all the same. */
  readonly excludedNodes: readonly ExcludedNode[];
}

/** The API server's objects and version. */
export interface ClusterObjects extends ObjectLists {
  /** The version of the API server, whose kube-scheduler is followed; absent: unknown (`DEFAULT_MINOR`). */
  readonly kubernetesMinor?: KubernetesMinor | undefined;
}

export const NO_OBJECTS: ClusterObjects = Object.freeze({
  nodes: [],
  pods: [],
  controllers: [],
  podDisruptionBudgets: [],
  namespaces: [],
  priorityClasses: [],
  configMaps: [],
  persistentVolumes: [],
  persistentVolumeClaims: [],
  storageClasses: [],
  csiNodes: [],
  csiDrivers: [],
  volumeAttachments: [],
  resourceSlices: [],
  deviceClasses: [],
  capacityBuffers: [],
  resourceQuotas: [],
  provisioningRequests: [],
  podTemplates: [],
  capacityQuotas: [],
  podGroups: [],
  excludedNodes: [],
});

/** The core's whole input: the cluster as observed, the state as persisted, the options, and the time. */
export interface Scenario {
  readonly name: string;
  /** Provider of groups that do not name one, and of nodes without a group. */
  readonly provider: ProviderName;
  readonly now: EpochMs;
  readonly seed: number;
  readonly options: Options;
  readonly nodeGroups: readonly NodeGroup[];
  readonly objects: ClusterObjects;
  readonly state: State;
  /** Notices of the cloud about instances; absent where there are none. */
  readonly notices?: readonly Notice[] | undefined;
  /** Pauses set by persons, in the table and by the status ConfigMap; absent where there are none. */
  readonly pauses?: readonly Pause[] | undefined;
  /** Capacity that is paid for, with the option `reservedCapacity`; absent where there is none. */
  readonly commitments?: readonly Commitment[] | undefined;
  /** Answers of the function behind the expander `external`; absent where it was not asked. */
  readonly externalChoices?: readonly ExternalChoice[] | undefined;
}

/** An empty collection for each kind of object, for readers to fill. */
export const emptyCollections = <T>(): Record<keyof ObjectLists, T[]> =>
  Object.fromEntries(Object.keys(NO_OBJECTS).map((name) => [name, []])) as unknown as Record<keyof ObjectLists, T[]>;
