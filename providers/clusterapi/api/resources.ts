import type { ApiResource } from '../../kubernetes/client/api-request.ts';

/** API group of Cluster API. */
export const CLUSTER_API = 'cluster.x-k8s.io';
/** API group of OpenShift's Machine API: MachineSets and Machines, without MachineDeployments and Clusters. */
export const OPENSHIFT_MACHINE_API = 'machine.openshift.io';

/** The kinds of resources that are node groups: they have the subresource `scale`, and create and delete machines. */
export type ScalableKind = 'MachineDeployment' | 'MachineSet' | 'MachinePool';

/** The kinds that are read from the management cluster, besides infrastructure templates. */
export type ClusterApiKind = ScalableKind | 'Machine' | 'Cluster';

export const RESOURCE_NAMES: Readonly<Record<ClusterApiKind, string>> = {
  MachineDeployment: 'machinedeployments',
  MachineSet: 'machinesets',
  MachinePool: 'machinepools',
  Machine: 'machines',
  Cluster: 'clusters',
};

export const apiResource = (group: string, version: string, kind: ClusterApiKind): ApiResource => ({
  group,
  version,
  resource: RESOURCE_NAMES[kind],
});

/** Annotation and label keys of one API group. Cluster Autoscaler derives them from `CAPI_GROUP` in the same way. */
export interface ApiKeys {
  /** Annotations of a scalable resource: the minimum and maximum size, which make the resource a node group. */
  readonly minSize: string;
  readonly maxSize: string;
  /** Start of the annotations for group options; the name of the option follows, in lower case. */
  readonly optionPrefix: string;
  /** Annotation of any object that its controller leaves alone. Its value does not count. */
  readonly paused: string;
  /**
   * Annotations by which a MachineSet deletes a Machine before others. The first annotation is written; each counts as
   * a mark.
   */
  readonly deleteMachine: readonly [string, ...string[]];
  /** Label of all objects of a cluster, for objects without `spec.clusterName`. */
  readonly clusterName: string;
  /** Annotations of a Node: its Machine, as `NAME` or `NAMESPACE/NAME`, and that Machine's namespace. */
  readonly machineOfNode: string;
  readonly namespaceOfNode: string;
  /** Label of a Machine: its zone, where `spec.failureDomain` does not exist. */
  readonly zone: string;
}

/** @param group the API group of the resources: `cluster.x-k8s.io`, `machine.openshift.io`, or another. */
export const keysOf = (group: string): ApiKeys => ({
  minSize: `${group}/cluster-api-autoscaler-node-group-min-size`,
  maxSize: `${group}/cluster-api-autoscaler-node-group-max-size`,
  optionPrefix: `${group}/autoscaling-options-`,
  paused: `${group}/paused`,
  deleteMachine:
    group === OPENSHIFT_MACHINE_API
      ? [`${group}/delete-machine`, `${group}/cluster-api-delete-machine`]
      : [`${group}/delete-machine`],
  clusterName: `${group}/cluster-name`,
  machineOfNode: `${group}/machine`,
  namespaceOfNode: `${group}/cluster-namespace`,
  zone: `${group}/zone`,
});
