import { keyOfPodGroup } from './pod.ts';

/** A `PodGroup` of scheduling.k8s.io (Kubernetes 1.37): pods that kube-scheduler schedules together. */
export interface PodGroup {
  readonly namespace: string;
  readonly name: string;
  /** `schedulingPolicy.gang.minCount`: with fewer of its pods, kube-scheduler schedules none. 0 with the policy `basic`. */
  readonly minCount: number;
  /** `disruptionMode.all`: its running pods can be disrupted all together only. */
  readonly disruptedTogether: boolean;
  /** The field of the PodGroup that is not simulated, such as `spec.schedulingConstraints`; `null` where there is none. */
  readonly notSimulated: string | null;
}

/** The PodGroups of a cluster by `keyOfPodGroup`. */
export const podGroupsByKey = (groups: readonly PodGroup[]): ReadonlyMap<string, PodGroup> =>
  new Map(groups.map((group) => [keyOfPodGroup(group), group]));
