import { required } from '../values/existing.ts';
import { clip } from '../values/clip.ts';
import { type NodeName, podKey, type PodKey } from '../values/names.ts';
import { NO_RESOURCES, type Resources } from '../values/resources.ts';
import type { LabelSelector, Labels, NodeSelectorTerm } from './selectors.ts';
import type { EpochMs } from '../values/time.ts';

export interface Toleration {
  readonly key: string; // '' tolerates every key (with operator Exists)
  readonly operator: string; // '' means Equal
  readonly value: string;
  readonly effect: string; // '' tolerates every effect
  readonly tolerationSeconds: number | null;
}

/** A port that the container wants on the host. Ports without `hostPort` are not kept. */
export interface HostPort {
  readonly hostIP: string; // '' means every address
  readonly hostPort: number;
  readonly protocol: string; // TCP | UDP | SCTP
}

export interface Container {
  readonly name: string;
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
  /** An init container with `restartPolicy: Always`: a sidecar. */
  readonly restartable: boolean;
}

export interface PodAffinityTerm {
  readonly topologyKey: string;
  readonly labelSelector: LabelSelector | null;
  readonly namespaces: readonly string[];
  readonly namespaceSelector: LabelSelector | null;
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys: readonly string[];
}

export interface PreferredTerm<T> {
  readonly weight: number;
  readonly term: T;
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string; // DoNotSchedule | ScheduleAnyway
  readonly labelSelector: LabelSelector | null;
  readonly minDomains: number | null;
  readonly nodeAffinityPolicy: string; // Honor | Ignore
  readonly nodeTaintsPolicy: string; // Honor | Ignore
  readonly matchLabelKeys: readonly string[];
}

/** A volume, projected to what decides a pod's place or its drain. */
export type Volume =
  | { readonly kind: 'claim'; readonly name: string; readonly claimName: string; readonly readOnly: boolean }
  | { readonly kind: 'ephemeralClaim'; readonly name: string }
  | { readonly kind: 'csi'; readonly name: string; readonly driver: string }
  | { readonly kind: 'emptyDir'; readonly name: string; readonly medium: string }
  | { readonly kind: 'hostPath'; readonly name: string }
  /** In-tree disks that VolumeRestrictions compares: `id` is the disk's own name. */
  | {
      readonly kind: 'disk';
      readonly name: string;
      readonly type: 'gcePersistentDisk' | 'awsElasticBlockStore' | 'iscsi' | 'rbd';
      readonly id: string;
      /** RBD only: the monitors that serve the image; two volumes clash when they share one. */
      readonly monitors: readonly string[];
      readonly readOnly: boolean;
    };

/**
 * The spec of a pod, as far as decisions use it. Pods of one controller with equal specs share one object, made at the
 * edge.
 */
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly overhead: Resources;
  /**
   * Pod-level requests (`spec.resources.requests`), which replace the sum over containers for the resources that they
   * name.
   */
  readonly podRequests: Resources | null;
  readonly nodeSelector: Labels;
  /** `requiredDuringSchedulingIgnoredDuringExecution`; `null` where there is none. */
  readonly nodeAffinity: readonly NodeSelectorTerm[] | null;
  readonly preferredNodeAffinity: readonly PreferredTerm<NodeSelectorTerm>[];
  readonly podAffinity: readonly PodAffinityTerm[];
  readonly preferredPodAffinity: readonly PreferredTerm<PodAffinityTerm>[];
  readonly podAntiAffinity: readonly PodAffinityTerm[];
  readonly preferredPodAntiAffinity: readonly PreferredTerm<PodAffinityTerm>[];
  readonly topologySpread: readonly TopologySpreadConstraint[];
  readonly tolerations: readonly Toleration[];
  readonly volumes: readonly Volume[];
  readonly priority: number | null;
  readonly preemptionPolicy: string; // PreemptLowerPriority | Never
  readonly schedulerName: string;
  readonly schedulingGates: readonly string[];
  /** Names of `spec.resourceClaims` (dynamic resource allocation). */
  readonly resourceClaims: readonly string[];
  readonly terminationGracePeriodSeconds: number;
  /** The PodGroup that the pod is scheduled with (`spec.schedulingGroup`); absent where there is none. */
  readonly podGroup?: string | undefined;
  /** Features that a node must declare to take the pod; absent where there are none. */
  readonly requiredFeatures?: readonly string[] | undefined;
  /** A field of a newer Kubernetes, whose effect on scheduling is unknown: such pods are not simulated. Absent where all are known. */
  readonly unknownField?: string | undefined;
  /**
   * Why pods with this spec are not simulated, in words: the terms of their namespace exceed a limit (`scheduling/bounded-terms.ts`). Absent in
   * specs as they are read.
   */
  readonly excess?: string | undefined;
}

/** The part of a pod's spec with the amounts of resources. */
export type AmountsSpec = Pick<PodSpec, 'containers' | 'initContainers' | 'overhead' | 'podRequests'>;

/** Asks for nothing, with Kubernetes' defaults: a start for specs that are made rather than read. */
export const PLAIN_POD_SPEC: PodSpec = Object.freeze({
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
  terminationGracePeriodSeconds: 30,
});

/** The owner reference with `controller: true`. */
export interface ControllerRef {
  /** API group and version, such as `apps/v1`; kinds of the same name in other groups are other kinds. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

/** The `PodScheduled` condition while it is not True. */
export interface UnscheduledCondition {
  readonly reason: string; // Unschedulable | SchedulingGated | SchedulerError | ''
  readonly since: EpochMs | null;
}

/** The kubelet's report on the resources of one container, for pods that may be resized in place. */
export interface ContainerResize {
  readonly name: string;
  readonly allocated: Resources | null;
  readonly actual: Resources | null;
}

export interface PodResize {
  readonly containers: readonly ContainerResize[];
  /** Pod-level figures: `status.allocatedResources` and `status.resources.requests`. */
  readonly allocated: Resources | null;
  readonly actual: Resources | null;
  /** The kubelet refused the resize for good (`PodResizePending` with reason `Infeasible`). */
  readonly infeasible: boolean;
}

export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly createdAt: EpochMs | null;
  readonly deletedAt: EpochMs | null;
  readonly controller: ControllerRef | null;
  readonly nodeName: NodeName | null;
  readonly nominatedNodeName: NodeName | null;
  readonly phase: PodPhase;
  /** `null` when the pod has been scheduled, or when no scheduler has looked at it yet. */
  readonly unscheduled: UnscheduledCondition | null;
  readonly startedAt: EpochMs | null;
  readonly ready: boolean;
  readonly resize: PodResize | null;
  readonly spec: PodSpec;
}

/** The fields of a newly created pod. */
export const NEW_POD = {
  deletedAt: null,
  nodeName: null,
  nominatedNodeName: null,
  phase: 'Pending',
  unscheduled: null,
  startedAt: null,
  ready: false,
  resize: null,
} as const satisfies Partial<Pod>;

export const keyOf = (pod: Pod): PodKey => podKey(pod.namespace, pod.name);

/** 0 where it has none. Follows `PodPriority` of k8s.io/component-helpers/scheduling/corev1. */
export const priorityOf = ({ spec }: { readonly spec: Pick<PodSpec, 'priority'> }): number => spec.priority ?? 0;

/** Does a pod with this spec use volumes through claims? */
export const hasClaims = ({ volumes }: Pick<PodSpec, 'volumes'>): boolean =>
  volumes.some(({ kind }) => kind === 'claim' || kind === 'ephemeralClaim');

/** Number of terms of a spec that are about other pods. */
export const termCount = (spec: PodSpec): number =>
  spec.podAffinity.length +
  spec.podAntiAffinity.length +
  spec.preferredPodAffinity.length +
  spec.preferredPodAntiAffinity.length +
  spec.topologySpread.length;

export const isFinished = (pod: Pod): boolean => pod.phase === 'Succeeded' || pod.phase === 'Failed';

/** Mirror pods: the API server's image of a static pod, made by the kubelet of one node. */
export const isMirror = (pod: Pod): boolean => 'kubernetes.io/config.mirror' in pod.annotations;

/** On pods of one controller: places for all of them that wait, or for none. */
const ATOMIC_ANNOTATION = 'outrigger.dev/atomic';

/**
 * Tells the pods of one controller from all others; `null` for a pod without one. The namespace and the kind are part
 * of it: an owner reference is what the pod's author has written, and any uid may stand there.
 */
export const controllerKeyOf = ({
  namespace,
  controller,
}: Pick<Pod, 'namespace'> & { readonly controller: Pick<ControllerRef, 'kind' | 'uid'> | null }): string | null =>
  controller === null ? null : `${namespace}/${controller.kind}/${controller.uid}`;

/**
 * The controller of a pod that has one, in words. The API server bounds neither the kind nor the name of a reference.
 */
function controllerText({ namespace, controller }: Pod): string {
  const { kind, name } = required(controller, 'the controller of a pod');
  return `${clip(kind, 63)} ${namespace}/${clip(name, 100)}`;
}

/** Tells a PodGroup from all others, and from the controllers of `controllerKeyOf`. */
export const keyOfPodGroup = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/pod group/${name}`;

/** The key of the PodGroup that a pod is scheduled with; `null` for a pod without one. */
export const podGroupKeyOf = ({ namespace, spec: { podGroup } }: Pick<Pod, 'namespace' | 'spec'>): string | null =>
  podGroup === undefined ? null : keyOfPodGroup({ namespace, name: podGroup });

/**
 * The key of the PodGroup or the controller whose pending pods are placed together with this pod; `null` for a pod that is placed
 * alone.
 */
export const gangOf = (pod: Pod): string | null =>
  podGroupKeyOf(pod) ?? (pod.annotations[ATOMIC_ANNOTATION] === 'true' ? controllerKeyOf(pod) : null);

/** The PodGroup or the controller of a pod of a gang, in words. */
export const gangText = (pod: Pod): string =>
  pod.spec.podGroup === undefined ? controllerText(pod) : `PodGroup ${pod.namespace}/${clip(pod.spec.podGroup, 100)}`;

/** Owned by a DaemonSet, or declared to be like one. */
export const isDaemon = (pod: Pod): boolean =>
  pod.controller?.kind === 'DaemonSet' || pod.annotations['cluster-autoscaler.kubernetes.io/daemonset-pod'] === 'true';
