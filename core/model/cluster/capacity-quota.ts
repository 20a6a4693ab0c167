import type { Resources } from '../values/resources.ts';
import type { LabelSelector } from './selectors.ts';

/**
 * A maximum capacity of the nodes that a selector selects. `autoscaling.x-k8s.io/v1beta1`,
 * https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/proposals/granular-resource-limits.md
 */
export interface CapacityQuota {
  readonly name: string;
  /** `null` or empty: every node. */
  readonly selector: LabelSelector | null;
  /** Maximum sum of the nodes' capacity by resource, and of their number as `nodes`. */
  readonly limits: Resources;
}
