import type { NodeName, PodKey } from './values/names.ts';
import type { EpochMs } from './values/time.ts';

/** Something about the cluster that a person should look at, though every function does its part. */
export type Trouble =
  | { readonly kind: 'ClusterUnhealthy' }
  /** Pods that a node group could hold, or that have room on a node: the one that has waited longest, and how many. */
  | { readonly kind: 'PodsWait'; readonly since: EpochMs; readonly pod: PodKey; readonly pods: number }
  /** The pod that no notification has come for. */
  | { readonly kind: 'WebhookSilent'; readonly since: EpochMs; readonly pod: PodKey }
  | { readonly kind: 'NodeTainted'; readonly since: EpochMs; readonly node: NodeName };
