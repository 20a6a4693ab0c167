import type { Resources } from '../values/resources.ts';

/** A ResourceQuota of a namespace, as far as it is about what pods request. */
export interface ResourceQuota {
  readonly namespace: string;
  readonly name: string;
  /** What its pods may request together, by resource: `cpu` and `requests.cpu` are the same. From the status, as is `used`. */
  readonly hard: Resources;
  readonly used: Resources;
  /** It counts the pods of which all of them hold; empty: every pod. */
  readonly scopes: readonly QuotaScope[];
}

/** What is asked of a pod, such as `{name: PriorityClass, operator: In, values: [batch]}`. */
export interface QuotaScope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}
