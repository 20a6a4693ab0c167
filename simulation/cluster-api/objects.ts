import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';

/** The objects of the simulated management cluster, in the form of `cluster.x-k8s.io/v1beta2`. */
export const API_GROUP = 'cluster.x-k8s.io';
export const INFRASTRUCTURE_GROUP = 'infrastructure.cluster.x-k8s.io';

export const PAUSED = `${API_GROUP}/paused`;
export const DELETE_MACHINE = `${API_GROUP}/delete-machine`;
export const CLUSTER_LABEL = `${API_GROUP}/cluster-name`;
export const DEPLOYMENT_LABEL = `${API_GROUP}/deployment-name`;
export const SET_LABEL = `${API_GROUP}/set-name`;
/** Holds a Machine until its instance and its node are gone. */
export const MACHINE_FINALIZER = `machine.${API_GROUP}`;

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: true;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** A reference of v1beta2: the version is that which the API server prefers. */
export interface Reference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

interface StoredObject<Kind extends string, Spec, Status> {
  readonly kind: Kind;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status: Status;
}

export interface MachineTemplate {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly clusterName: string;
    readonly failureDomain: string;
    readonly infrastructureRef: Reference;
  };
}

interface ScalableSpec {
  readonly clusterName: string;
  readonly replicas: number;
  readonly selector: { readonly matchLabels: Labels };
  readonly template: MachineTemplate;
  /** The machines that a smaller MachineSet deletes first; absent: any. */
  readonly deletion?: { readonly order: DeletionOrder };
  /** Strategy of a MachineDeployment; absent: `RollingUpdate`. */
  readonly rollout?: { readonly strategy: { readonly type: 'OnDelete' } };
  readonly paused?: boolean;
}

export type DeletionOrder = 'Random' | 'Newest' | 'Oldest';

interface ScalableStatus {
  /** Selector of the resource's machines, as the parameter `labelSelector` takes it. */
  readonly selector: string;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly upToDateReplicas: number;
  readonly observedGeneration: number;
}

type ClusterObject = StoredObject<'Cluster', { readonly paused: boolean }, { readonly phase: 'Provisioned' }>;
export type MachineDeploymentObject = StoredObject<'MachineDeployment', ScalableSpec, ScalableStatus>;
export type MachineSetObject = StoredObject<'MachineSet', ScalableSpec, ScalableStatus>;
export type ScalableObject = MachineDeploymentObject | MachineSetObject;

export type MachinePhase = 'Pending' | 'Provisioning' | 'Provisioned' | 'Running' | 'Deleting' | 'Failed';

export type MachineObject = StoredObject<
  'Machine',
  {
    readonly clusterName: string;
    readonly failureDomain: string;
    readonly infrastructureRef: Reference;
    readonly providerID?: string;
  },
  {
    readonly phase: MachinePhase;
    readonly nodeRef?: { readonly name: string };
    readonly conditions: readonly Condition[];
    /** The place in v1beta2 of the fields that v1beta1 has in `status` itself. */
    readonly deprecated?: {
      readonly v1beta1: { readonly failureReason: string; readonly failureMessage: string };
    };
  }
>;

/** The infrastructure provider's template, with what the nodes made from it have. */
type InfrastructureTemplateObject = StoredObject<
  'SimulatedMachineTemplate',
  { readonly template: { readonly spec: { readonly instanceType: string } } },
  { readonly capacity: Readonly<Record<string, string>> }
>;

export type ManagedObject =
  | ClusterObject
  | MachineDeploymentObject
  | MachineSetObject
  | MachineObject
  | InfrastructureTemplateObject;
export type ManagedKind = ManagedObject['kind'];
export type ManagedObjectOf<Kind extends ManagedKind> = Extract<ManagedObject, { readonly kind: Kind }>;

/** A time as Kubernetes writes it: whole seconds. */
export const timestamp = (at: EpochMs): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

export const isDeleting = ({ metadata }: ManagedObject): boolean => metadata.deletionTimestamp !== undefined;

/** Whether a smaller MachineSet deletes the Machine before unmarked ones. */
export const isToBeDeletedFirst = ({ metadata }: ManagedObject): boolean => DELETE_MACHINE in metadata.annotations;

export const isControlledBy = ({ metadata }: ManagedObject, uid: string): boolean =>
  metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;

/** The reference of a controller to what it has made. */
export const ownerReferenceTo = ({ kind, metadata: { name, uid } }: ScalableObject): OwnerReference => ({
  apiVersion: `${API_GROUP}/v1beta2`,
  kind,
  name,
  uid,
  controller: true,
});

/** The annotation of an object pauses it; a MachineDeployment has a field for it as well. */
export const isPaused = (object: ScalableObject): boolean =>
  PAUSED in object.metadata.annotations || (object.kind === 'MachineDeployment' && object.spec.paused === true);

/** Annotation of the MachineSets of a MachineDeployment: the latest template has the highest. */
export const REVISION = 'machinedeployment.clusters.x-k8s.io/revision';

/** 0 for a MachineSet of its own. */
export const revisionOf = ({ metadata }: MachineSetObject): number => Number(metadata.annotations[REVISION] ?? 0);

const selectorText = ({ matchLabels }: ScalableSpec['selector']): string =>
  Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** The status of a resource that its controller has not seen yet. */
export const newStatus = (selector: ScalableSpec['selector']): ScalableStatus => ({
  selector: selectorText(selector),
  replicas: 0,
  readyReplicas: 0,
  upToDateReplicas: 0,
  observedGeneration: 0,
});
