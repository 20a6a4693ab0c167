import type { EpochMs } from '../values/time.ts';
import type { Pod } from './pod.ts';
import { CONSUME_ANNOTATIONS } from './read-annotations.ts';
import type { StatusCondition, WrittenCondition } from './status-condition.ts';

/** Answered from existing capacity, which is held for a while. */
export const CHECK_CAPACITY = 'check-capacity.autoscaling.x-k8s.io';
/** Nodes are added if they have capacity for all pods of the request. */
export const BEST_EFFORT_ATOMIC = 'best-effort-atomic-scale-up.autoscaling.x-k8s.io';

/**
 * Room that is asked for before its pods are created. `autoscaling.x-k8s.io/v1`,
 * https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/proposals/provisioning-request.md
 */
export interface ProvisioningRequest {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  /** Resource version of the object as it was read; empty where there is none, as in a file. */
  readonly resourceVersion: string;
  readonly createdAt: EpochMs | null;
  /** `CHECK_CAPACITY`, `BEST_EFFORT_ATOMIC`, or one that is for another autoscaler. */
  readonly className: string;
  readonly podSets: readonly PodSet[];
  readonly parameters: Readonly<Record<string, string>>;
  /** Conditions of the request's status. */
  readonly conditions: readonly StatusCondition[];
}

/** A number of pods of a PodTemplate of the same namespace. */
export interface PodSet {
  readonly podTemplate: string;
  readonly count: number;
}

/** The conditions that the status of a request is to have. */
export interface RequestStatus {
  readonly namespace: string;
  readonly name: string;
  /**
   * Resource version of the request that was decided about: no status of a later version is overwritten. Empty: any
   * version.
   */
  readonly resourceVersion: string;
  readonly conditions: readonly WrittenCondition[];
}

/** The name of the request, of its own namespace, whose room a pod is for; `null`: of none. */
export function consumedBy({ annotations }: Pick<Pod, 'annotations'>): string | null {
  for (const annotation of CONSUME_ANNOTATIONS) {
    const name = annotations[annotation];
    if (name !== undefined) {
      return name;
    }
  }
  return null;
}
