import type { Resources } from '../values/resources.ts';
import type { EpochMs } from '../values/time.ts';
import type { AmountsSpec, Pod } from './pod.ts';
import type { StatusCondition, WrittenCondition } from './status-condition.ts';

/** The strategy of Cluster Autoscaler: room is held by virtual pods. Buffers of another one are left alone. */
export const ACTIVE_CAPACITY = 'buffer.x-k8s.io/active-capacity';

/**
 * Room for pods that are to come: virtual pods that count as pending ones. `autoscaling.x-k8s.io/v1beta1`,
 * https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/proposals/buffers.md
 */
export interface CapacityBuffer {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly createdAt: EpochMs | null;
  readonly strategy: string;
  /**
   * The PodTemplate of the same namespace that the virtual pods are made from; `null`: the virtual pods are made from
   * `scalable`.
   */
  readonly podTemplate: string | null;
  readonly scalable: ScalableRef | null;
  /** Most pods. */
  readonly replicas: number | null;
  /** Most pods, in percent of the pods of `scalable`. */
  readonly percentage: number | null;
  /** Upper bound on the requests of all the buffer's pods together. */
  readonly limits: Resources | null;
  /** Conditions of the buffer's status. */
  readonly conditions: readonly StatusCondition[];
  /** The number of pods that its status has; `null`: none yet. */
  readonly statusReplicas: number | null;
}

/** The workload whose pods a buffer's virtual pods copy. */
export interface ScalableRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** A template that something else refers to. */
export interface PodTemplate {
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  /** A pod of it, unscheduled and without a controller. */
  readonly pod: Pod;
  /** The template's `priorityClassName`; absent: none. */
  readonly priorityClass?: string;
  /** The containers' limits in the place of requests, for ResourceQuotas of limits; absent: unknown. */
  readonly limits?: AmountsSpec;
}

/** A status to be written to a buffer. */
export interface BufferStatus {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly provisioningStrategy: string;
  readonly podTemplate: string | null;
  readonly conditions: readonly WrittenCondition[];
}
