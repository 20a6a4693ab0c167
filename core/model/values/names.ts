/**
 * Branded names: a string that has been checked at the edge and says what it names. Branded names are plain strings at
 * run time; `as` is allowed only in the constructors below.
 */
declare const brand: unique symbol;
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Name of a node group: an Auto Scaling group's name, or `namespace/name` of a Cluster API resource. */
export type GroupName = Brand<string, 'GroupName'>;
/** `metadata.name` of a Node. */
export type NodeName = Brand<string, 'NodeName'>;
/** The cloud's name of an instance, `i-…` on EC2. */
export type InstanceId = Brand<string, 'InstanceId'>;
/** Name of a cluster, as in the discovery tag `k8s.io/cluster-autoscaler/<cluster>`. */
export type ClusterName = Brand<string, 'ClusterName'>;
/** `namespace/name` of a pod. */
export type PodKey = Brand<string, 'PodKey'>;

export const groupName = (value: string): GroupName => value as GroupName;
export const nodeName = (value: string): NodeName => value as NodeName;
export const instanceId = (value: string): InstanceId => value as InstanceId;
export const clusterName = (value: string): ClusterName => value as ClusterName;
export const podKey = (namespace: string, name: string): PodKey => `${namespace}/${name}` as PodKey;

/** The same for many pods, those of a namespace next to each other: what they have in common is made once. */
export function podKeys(): typeof podKey {
  let last: string | null = null;
  let start = '';
  return (namespace, name) => {
    if (namespace !== last) {
      last = namespace;
      start = `${namespace}/`;
    }
    return `${start}${name}` as PodKey;
  };
}

/** Orders strings by UTF-16 code unit: the same in every locale, unlike `localeCompare`. */
export function byName(a: string, b: string): number {
  if (a < b) {
    return -1;
  }
  return a === b ? 0 : 1;
}
