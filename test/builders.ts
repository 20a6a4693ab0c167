import {
  type Controller,
  type ControllerKind,
  type PodDisruptionBudget,
  usualApiVersion,
} from '../core/model/cluster/workloads.ts';
import { nodeName } from '../core/model/values/names.ts';
import type { Node } from '../core/model/cluster/node.ts';
import {
  type Container,
  type ControllerRef,
  PLAIN_POD_SPEC,
  type Pod,
  type PodAffinityTerm,
  type PodSpec,
  type TopologySpreadConstraint,
  type Volume,
} from '../core/model/cluster/pod.ts';
import { parseQuantity } from '../core/model/values/quantity.ts';
import { quantityScale, type Resources } from '../core/model/values/resources.ts';
import { type ClusterObjects, NO_OBJECTS } from '../core/model/scenario.ts';
import type { LabelRequirement, Labels, LabelSelector } from '../core/model/cluster/selectors.ts';
import type { CsiNode, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../core/model/cluster/storage.ts';

/** Covers the pods with `app: web` of namespace `default`, all three of which are up while two must be. */
export const budget = (extra: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget => ({
  namespace: 'default',
  name: 'web',
  selector: selector({ app: 'web' }),
  disruptionsAllowed: 1,
  currentHealthy: 3,
  desiredHealthy: 2,
  expectedPods: 3,
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  disruptedPods: {},
  generation: 1,
  observedGeneration: 1,
  ...extra,
});

/** Amounts as manifests write them: numbers are whole units (cores, bytes, counts), strings are quantities. */
export type Amounts = Readonly<Record<string, number | string>>;

/** `{cpu: 2, memory: '1Gi'}` → `{cpu: 2000, memory: 1073741824}`. */
export function resources(amounts: Amounts): Resources {
  const parsed: Record<string, number> = {};
  for (const [name, amount] of Object.entries(amounts)) {
    const value = parseQuantity(String(amount), quantityScale(name));
    if (!value.ok) {
      throw new Error(`builders: ${name}: ${amount} is not ${value.error}`);
    }
    parsed[name] = value.value;
  }
  return parsed;
}

/** Amounts of a node. `pods` is 110 unless given. */
export function node(name: string, amounts: Amounts = {}, extra: Partial<Node> = {}): Node {
  const allocatable = resources({ pods: 110, ...amounts });
  return {
    name: nodeName(name),
    uid: `uid-${name}`,
    annotations: {},
    createdAt: null,
    deletedAt: null,
    providerId: null,
    unschedulable: false,
    taints: [],
    capacity: allocatable,
    allocatable,
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', since: null }],
    ...extra,
    labels: { 'kubernetes.io/hostname': name, ...extra.labels },
  };
}

export function container(requests: Amounts = {}, extra: Partial<Container> = {}): Container {
  return { name: 'main', requests: resources(requests), hostPorts: [], restartable: false, ...extra };
}

export const POD_SPEC: PodSpec = PLAIN_POD_SPEC;

/** A spec of one container. */
export const podSpec = (requests: Amounts = {}, extra: Partial<PodSpec> = {}): PodSpec => ({
  ...POD_SPEC,
  containers: [container(requests)],
  ...extra,
});

/** Parts of a pod beside its defaults: of its container, of its spec, and of the pod itself. */
export interface PodOptions extends Partial<Omit<Pod, 'name' | 'nodeName' | 'spec' | 'nominatedNodeName'>> {
  readonly requests?: Amounts;
  readonly node?: string;
  readonly nominatedNode?: string;
  readonly spec?: Partial<PodSpec>;
  /** `Kind/name`; its uid is made of both. */
  readonly owner?: string;
}

/** A pod of one container in namespace `default`; with `node` the pod is bound and running, without a node pending. */
export function pod(name: string, options: PodOptions = {}): Pod {
  const { requests = {}, node: home, nominatedNode, spec, owner, ...rest } = options;
  const namespace = rest.namespace ?? 'default';
  return {
    namespace,
    name,
    uid: `uid-${namespace}-${name}`,
    labels: {},
    annotations: {},
    createdAt: null,
    deletedAt: null,
    controller: owner === undefined ? null : controllerRef(owner),
    nodeName: home === undefined ? null : nodeName(home),
    nominatedNodeName: nominatedNode === undefined ? null : nodeName(nominatedNode),
    phase: home === undefined ? 'Pending' : 'Running',
    unscheduled: home === undefined ? { reason: 'Unschedulable', since: null } : null,
    startedAt: null,
    ready: home !== undefined,
    resize: null,
    ...rest,
    spec: podSpec(requests, spec),
  };
}

export function controllerRef(owner: string): ControllerRef {
  const [kind, name] = owner.split('/');
  return { apiVersion: usualApiVersion(kind!), kind: kind!, name: name!, uid: `uid-${owner}` };
}

/** A controller in namespace `default`, such as `DaemonSet/agent`, with the uid that its pods refer to. */
export function controller(owner: string, given: Partial<Controller> = {}): Controller {
  const { name, uid, kind } = controllerRef(owner);
  return { kind: kind as ControllerKind, namespace: 'default', name, uid, replicas: null, template: null, ...given };
}

/** A selector of these labels, and of these expressions. */
export const selector = (
  matchLabels: Labels = {},
  ...matchExpressions: readonly LabelRequirement[]
): LabelSelector => ({ matchLabels, matchExpressions });

/** A term of an affinity or an anti-affinity, by default to pods of the namespace of its own pod. */
export const affinityTerm = (
  topologyKey: string,
  labelSelector: LabelSelector,
  namespaceSelector: LabelSelector | null = null,
): PodAffinityTerm => ({
  topologyKey,
  labelSelector,
  namespaces: [],
  namespaceSelector,
  matchLabelKeys: [],
  mismatchLabelKeys: [],
});

/** A topology spread constraint; by default no two domains may differ by more than one pod. */
export const spreadConstraint = (
  topologyKey: string,
  labelSelector: LabelSelector,
  extra: Partial<TopologySpreadConstraint> = {},
): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector,
  minDomains: null,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
  ...extra,
});

export const clusterObjects = (given: Partial<ClusterObjects> = {}): ClusterObjects => ({ ...NO_OBJECTS, ...given });

/** A claim of 1 GiB in namespace `default`, not bound. */
export const claim = (name: string, extra: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  namespace: 'default',
  name,
  uid: `uid-claim-${name}`,
  labels: {},
  annotations: {},
  storageClass: 'wait',
  volumeName: '',
  volumeMode: 'Filesystem',
  accessModes: ['ReadWriteOnce'],
  requestBytes: 2 ** 30,
  selector: null,
  phase: 'Pending',
  ownerPodUid: null,
  deleted: false,
  ...extra,
});

/** A claim that is bound to a volume. */
export const boundClaim = (
  name: string,
  volumeName: string,
  extra: Partial<PersistentVolumeClaim> = {},
): PersistentVolumeClaim =>
  claim(name, { volumeName, phase: 'Bound', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' }, ...extra });

/** A free volume of 1 GiB of class `wait`, reachable from everywhere, of the EBS driver. */
export const volume = (name: string, extra: Partial<PersistentVolume> = {}): PersistentVolume => ({
  name,
  labels: {},
  storageClass: 'wait',
  capacityBytes: 2 ** 30,
  accessModes: ['ReadWriteOnce'],
  volumeMode: 'Filesystem',
  phase: 'Available',
  claimRef: null,
  nodeAffinity: null,
  csi: { driver: 'ebs.csi.aws.com', handle: `vol-${name}`, inTree: false },
  deleted: false,
  ...extra,
});

/** A class of the EBS driver that waits for the first consumer. */
export const storageClass = (name: string, extra: Partial<StorageClass> = {}): StorageClass => ({
  name,
  provisioner: 'ebs.csi.aws.com',
  bindingMode: 'WaitForFirstConsumer',
  allowedTopologies: [],
  isDefault: false,
  ...extra,
});

/** The EBS driver's record of a node: how many volumes it attaches (`null`: any number). */
export const csiNode = (name: string, count: number | null, extra: Partial<CsiNode> = {}): CsiNode => ({
  name: nodeName(name),
  annotations: {},
  drivers: [{ name: 'ebs.csi.aws.com', nodeId: name, count }],
  ...extra,
});

/** Volumes of a pod that refer to claims by name. */
export const claimVolumes = (...names: readonly string[]): Volume[] =>
  names.map((claimName, i) => ({ kind: 'claim', name: `volume${i}`, claimName, readOnly: false }));
