import type { LabelSelector, Labels } from './selectors.ts';
import type { Pod } from './pod.ts';
import type { PriorityTiers } from './priorities.ts';
import type { EpochMs } from './time.ts';

export type ControllerKind =
  | 'ReplicaSet'
  | 'Deployment'
  | 'StatefulSet'
  | 'DaemonSet'
  | 'Job'
  | 'ReplicationController';

/** A controller of pods, projected to what scaling decisions ask about it. */
export interface Controller {
  readonly kind: ControllerKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Wanted number of pods, of a Job those that it still wants to run; `null` for a DaemonSet. */
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
  /** Of the spec; the numbers are of the spec whose generation was observed. */
  readonly generation: number;
  readonly observedGeneration: number;
}

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
  /** What `data` tells the priority expander; `null` for every other ConfigMap. */
  readonly priorities: PriorityTiers | null;
}
