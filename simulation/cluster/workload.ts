import type { PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import type { DurationMs } from '@outrigger/core/model/values/time.ts';

/** A workload of the cluster. */
export interface Workload {
  /** `Pod`: they have no controller, and none is made in the place of one that is lost. */
  readonly kind: 'Deployment' | 'StatefulSet' | 'Job' | 'Pod';
  readonly namespace: string;
  readonly name: string;
  /** The replicas; a Job's pods, all at the same time. */
  readonly pods: number;
  /** Labels of each pod. */
  readonly labels: Labels;
  readonly spec: PodSpec;
  /** How long each pod of a Job runs; `null` for a Deployment, whose pods run until they are deleted. */
  readonly runsFor: DurationMs | null;
  /** How long a Job stays once all its pods have finished, and its pods with it; absent: until it is deleted. */
  readonly keptAfterEnd?: DurationMs | undefined;
  /** The `minAvailable` of a PodDisruptionBudget over its pods; absent where it has none. */
  readonly minAvailable?: number;
  /** Instead of a number: a percentage of its pods. */
  readonly minAvailablePercent?: number;
  /** Policy of the budget; absent: `IfHealthyBudget`, as in Kubernetes. */
  readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  /** Whether another budget covers the same pods: the API server evicts none of them. */
  readonly secondBudget?: boolean;
  /** Each of its pods has a volume, by its own name; absent where they have none. Of a StatefulSet. */
  readonly volumes?: PodVolumes;
  /** Annotations of each pod; absent where they have none. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Volumes that one node at a time may have attached, of one zone. */
export interface PodVolumes {
  readonly zone: string;
  /** Whether each is made when its pod has a node, and not before. */
  readonly waits: boolean;
  /** How many each pod has; absent: one. */
  readonly each?: number;
}

/** `namespace/name`. */
export const workloadKey = ({ namespace, name }: Pick<Workload, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

/** A DaemonSet, with a pod on every node. */
export interface DaemonSet {
  readonly namespace: string;
  readonly name: string;
  readonly spec: PodSpec;
}
