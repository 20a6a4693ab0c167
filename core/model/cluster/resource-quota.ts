import type { Resources } from '../values/resources.ts';

/** A ResourceQuota of a namespace, as far as it is about pods. */
export interface ResourceQuota {
  readonly namespace: string;
  readonly name: string;
  /**
   * The most that the pods of the namespace may have together, from the status, as is `used`. Requests are named by their resource
   * (`requests.cpu` is `cpu`), limits by `limits.cpu` and the like, the number of pods by `pods` (`count/pods` is the same).
   */
  readonly hard: Resources;
  readonly used: Resources;
  /** The quota counts the pods that match all scopes; empty: every pod. */
  readonly scopes: readonly QuotaScope[];
}

/** A condition on a pod, such as `{name: PriorityClass, operator: In, values: [batch]}`. */
export interface QuotaScope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}
