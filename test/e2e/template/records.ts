import type { Request } from './policies.ts';

/** A request that IAM was asked about. */
export interface AwsRecord {
  /** Logical id of the role, name of a service, or `null`: nobody in particular. */
  readonly principal: string | null;
  readonly request: Request;
  /** ARN of the resource whose own policy was asked, too. */
  readonly policyOf: string | null;
  readonly allowed: boolean;
}

/** A request to the API server. */
export interface KubeRecord {
  /** Name of its cluster. */
  readonly cluster: string;
  /** Logical id of the role. */
  readonly role: string;
  readonly groups: readonly string[];
  readonly attributes: KubeAttributes;
  readonly status: number;
}

/** A request as RBAC judges it. */
export interface KubeAttributes {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/eviction`. */
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string | null;
}

/** Something that the template leads on to what it is wired to. */
export type Occasion =
  /** A message was received; `failed`: the function has said that it is to come again. */
  | { readonly kind: 'message'; readonly queue: string; readonly failed: boolean }
  /** A table has changed; `record` without what was stored. */
  | { readonly kind: 'record'; readonly stream: string; readonly record: unknown }
  /** A time of this expression has come. */
  | { readonly kind: 'time'; readonly expression: string }
  | { readonly kind: 'event'; readonly event: Readonly<Record<string, unknown>> }
  | { readonly kind: 'call'; readonly host: string | null; readonly method: string; readonly path: string }
  | { readonly kind: 'invocation'; readonly arn: string }
  /** A token of a role was shown to the API server of a cluster. */
  | { readonly kind: 'token'; readonly cluster: string; readonly accessKey: string };

/** Observations while the template ran. */
export interface Records {
  readonly aws: AwsRecord[];
  readonly kube: KubeRecord[];
  readonly occasions: Occasion[];
  /** How often each resource (mapping, schedule, rule, access entry, alias, URL) did what it is for, by its logical id. */
  readonly uses: Map<string, number>;
  /** Failures that no caller was told of: a denied log line, a failed invocation. */
  readonly problems: string[];
}

export const newRecords = (): Records => ({ aws: [], kube: [], occasions: [], uses: new Map(), problems: [] });

export const countUse = ({ uses }: Records, id: string): void => {
  uses.set(id, (uses.get(id) ?? 0) + 1);
};
