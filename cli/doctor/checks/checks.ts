import type { Facts } from '../facts/facts.ts';
import {
  BOOTSTRAP,
  CONCURRENCY,
  CREDENTIALS,
  DENIED,
  DEPLOYMENT,
  DURABLE,
  FUNCTION_URLS,
  PARTITION,
  ROLE,
} from './account.ts';
import { CAPACITY_QUOTA_CHECK, CLUSTER_AUTOSCALER, KARPENTER, TAINTS } from './autoscalers.ts';
import type { Check, Finding } from './check.ts';
import { AUTHENTICATION, CLUSTER, EGRESS, ENDPOINT } from './cluster.ts';
import {
  CAPACITY_REBALANCE,
  GROUPS,
  INSTANCE_LIFETIME,
  MANAGED,
  PLACEMENT,
  PRICES,
  REBALANCED,
  RESOURCES,
  RETAINED,
  SIMILAR,
  SUSPENDED,
} from './groups.ts';
import { API_SERVER, RBAC, WEBHOOK } from './kubernetes.ts';

/** All checks, in the order in which they are shown. */
export const CHECKS: readonly Check[] = [
  CREDENTIALS,
  ROLE,
  DENIED,
  BOOTSTRAP,
  CONCURRENCY,
  DURABLE,
  FUNCTION_URLS,
  PARTITION,
  DEPLOYMENT,
  CLUSTER,
  AUTHENTICATION,
  ENDPOINT,
  EGRESS,
  GROUPS,
  RESOURCES,
  MANAGED,
  SUSPENDED,
  REBALANCED,
  CAPACITY_REBALANCE,
  INSTANCE_LIFETIME,
  PRICES,
  PLACEMENT,
  RETAINED,
  SIMILAR,
  API_SERVER,
  RBAC,
  CLUSTER_AUTOSCALER,
  KARPENTER,
  CAPACITY_QUOTA_CHECK,
  TAINTS,
  WEBHOOK,
];

/** A check, and what it has found. */
export interface CheckResult {
  readonly check: Check;
  readonly finding: Finding;
}

/** Makes all checks. Pure. */
export const judge = (facts: Facts): readonly CheckResult[] =>
  CHECKS.map((check) => ({ check, finding: check.judge(facts) }));
