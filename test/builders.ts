import { nodeName } from '../core/model/names.ts';
import type { Node } from '../core/model/node.ts';
import type { Container, ControllerRef, Pod, PodSpec } from '../core/model/pod.ts';
import { parseQuantity } from '../core/model/quantity.ts';
import { NO_RESOURCES, quantityScale, type Resources } from '../core/model/resources.ts';
import { type ClusterObjects, NO_OBJECTS } from '../core/model/scenario.ts';
import type { LabelRequirement, Labels, LabelSelector } from '../core/model/selectors.ts';

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

export const POD_SPEC: PodSpec = Object.freeze({
  containers: [],
  initContainers: [],
  overhead: NO_RESOURCES,
  podRequests: null,
  nodeSelector: {},
  nodeAffinity: null,
  preferredNodeAffinity: [],
  podAffinity: [],
  preferredPodAffinity: [],
  podAntiAffinity: [],
  preferredPodAntiAffinity: [],
  topologySpread: [],
  tolerations: [],
  volumes: [],
  priority: null,
  preemptionPolicy: 'PreemptLowerPriority',
  schedulerName: 'default-scheduler',
  schedulingGates: [],
  resourceClaims: [],
  workload: null,
  terminationGracePeriodSeconds: 30,
});

/** What a pod is given beside its defaults: of its container, of its spec, and of the pod itself. */
export interface PodOptions extends Partial<Omit<Pod, 'name' | 'nodeName' | 'spec' | 'nominatedNodeName'>> {
  readonly requests?: Amounts;
  readonly node?: string;
  readonly nominatedNode?: string;
  readonly spec?: Partial<PodSpec>;
  /** `Kind/name`; its uid is made of both. */
  readonly owner?: string;
}

/** A pod of one container in namespace `default`; with `node` it is bound and running, without it it waits. */
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
    spec: { ...POD_SPEC, containers: [container(requests)], ...spec },
  };
}

function controllerRef(owner: string): ControllerRef {
  const [kind, name] = owner.split('/');
  return { kind: kind!, name: name!, uid: `uid-${owner}` };
}

/** A selector of these labels, and of these expressions. */
export const selector = (
  matchLabels: Labels = {},
  ...matchExpressions: readonly LabelRequirement[]
): LabelSelector => ({ matchLabels, matchExpressions });

export const clusterObjects = (given: Partial<ClusterObjects> = {}): ClusterObjects => ({ ...NO_OBJECTS, ...given });
