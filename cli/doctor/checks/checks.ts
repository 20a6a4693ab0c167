import type { Facts } from '../facts/facts.ts';
import { ACCOUNT_CHECKS } from './account.ts';
import { AUTOSCALER_CHECKS } from './autoscalers.ts';
import type { Check, Finding } from './check.ts';
import { CLUSTER_CHECKS } from './cluster.ts';
import { GROUP_CHECKS } from './groups.ts';
import { API_SERVER, RBAC, WEBHOOK } from './kubernetes.ts';

/** All checks, in the order in which they are shown. */
export const CHECKS: readonly Check[] = [
  ...ACCOUNT_CHECKS,
  ...CLUSTER_CHECKS,
  ...GROUP_CHECKS,
  API_SERVER,
  RBAC,
  ...AUTOSCALER_CHECKS,
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
