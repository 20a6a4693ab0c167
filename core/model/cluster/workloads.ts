import type { LabelSelector, Labels } from './selectors.ts';
import type { ControllerRef, Pod } from './pod.ts';
import type { PriorityTiers } from './priorities.ts';
import type { EpochMs } from '../values/time.ts';

export type ControllerKind =
  | 'ReplicaSet'
  | 'Deployment'
  | 'StatefulSet'
  | 'DaemonSet'
  | 'Job'
  | 'ReplicationController';

/** The API versions by which Kubernetes serves its own controllers. */
const API_VERSIONS: Readonly<Record<ControllerKind, string>> = {
  ReplicaSet: 'apps/v1',
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Job: 'batch/v1',
  ReplicationController: 'v1',
};

/** The API version of a reference without one: that of Kubernetes' own kind of this name, else `v1`. */
export const usualApiVersion = (kind: string): string =>
  Object.hasOwn(API_VERSIONS, kind) ? API_VERSIONS[kind as ControllerKind] : 'v1';

/** `apps` for `apps/v1`, empty for `v1`. */
export const apiGroupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));

/**
 * Kubernetes' own kind that a reference names; `null` for every other kind. A StatefulSet of `apps.kruise.io` is not
 * listed with the StatefulSets of `apps`, so it is unknown whether it exists.
 */
export function ownKindOf({ kind, apiVersion }: Pick<ControllerRef, 'kind' | 'apiVersion'>): ControllerKind | null {
  const own =
    Object.hasOwn(API_VERSIONS, kind) && apiGroupOf(apiVersion) === apiGroupOf(API_VERSIONS[kind as ControllerKind]);
  return own ? (kind as ControllerKind) : null;
}

/** A controller of pods, projected to what scaling decisions ask about it. */
export interface Controller {
  readonly kind: ControllerKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Wanted number of pods; for a Job, the pods that are still to run; `null` for a DaemonSet. */
  readonly replicas: number | null;
  /** DaemonSets only: the pod that it puts on a node, without a node name. */
  readonly template: Pod | null;
}

export interface PodDisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  readonly selector: LabelSelector | null;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly unhealthyPodEvictionPolicy: string; // IfHealthyBudget | AlwaysAllow
  /**
   * Evictions that the API server let through and the disruption controller has not seen yet, by the pod's name. The
   * numbers above have them counted.
   */
  readonly disruptedPods: Readonly<Record<string, EpochMs | null>>;
  /** Generation of the spec; the numbers are of the spec whose generation was observed. */
  readonly generation: number;
  readonly observedGeneration: number;
  /** Stands in for one that cannot be read. */
  readonly unreadable?: true;
}

/** In place of a budget that cannot be read: it may cover any pod of its namespace, and allows nothing. */
export const unreadablePdb = (namespace: string, name: string): PodDisruptionBudget => ({
  namespace,
  name,
  selector: { matchLabels: {}, matchExpressions: [] },
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 1,
  expectedPods: 1,
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  disruptedPods: {},
  generation: 0,
  observedGeneration: 0,
  unreadable: true,
});

export interface Namespace {
  readonly name: string;
  readonly labels: Labels;
}

export interface PriorityClass {
  readonly name: string;
  readonly value: number;
  readonly globalDefault: boolean;
}

export interface ConfigMap {
  readonly namespace: string;
  readonly name: string;
  readonly data: Labels;
  /** The priority expander's configuration in `data`; `null` for every other ConfigMap. */
  readonly priorities: PriorityTiers | null;
}
