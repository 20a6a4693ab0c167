import type { Node } from '../model/node.ts';
import type { Options } from '../model/options.ts';
import type { EpochMs } from '../model/time.ts';

/** Taints whose presence alone says that a node is not ready. */
const NOT_READY_TAINTS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/network-unavailable',
]);

const STARTUP_TAINT_PREFIXES = [
  'startup-taint.cluster-autoscaler.kubernetes.io/',
  'ignore-taint.cluster-autoscaler.kubernetes.io/',
] as const;

/** A taint that a node bears only until something on it has started. */
export const isStartupTaint = (key: string, options: Options): boolean =>
  STARTUP_TAINT_PREFIXES.some((prefix) => key.startsWith(prefix)) || options.startupTaint.includes(key);

/**
 * Ready for pods: condition Ready is True, neither DiskPressure nor NetworkUnavailable is, no taint says otherwise, and
 * no startup taint is left. A node without a Ready condition is not ready.
 *
 * Follows `GetReadinessState` of Cluster Autoscaler's utils/kubernetes/ready.go and its treatment of startup taints.
 */
export function isReady(node: Node, options: Options): boolean {
  let ready = false;
  for (const { type, status } of node.conditions) {
    if (type === 'Ready') {
      ready = status === 'True';
    } else if ((type === 'DiskPressure' || type === 'NetworkUnavailable') && status === 'True') {
      return false;
    }
  }
  return ready && !node.taints.some(({ key }) => NOT_READY_TAINTS.has(key) || isStartupTaint(key, options));
}

export type Readiness = 'Deleted' | 'Suspended' | 'Ready' | 'NotStarted' | 'Unready';

/**
 * The class of a registered node, first match: gone from the cloud, suspended, ready, still within its start-up time,
 * or unready. Follows `updateReadinessStats` of Cluster Autoscaler's clusterstate.go.
 *
 * @param deleted the cloud no longer has the machine.
 */
export function readinessOf(node: Node, deleted: boolean, options: Options, now: EpochMs): Readiness {
  if (deleted) {
    return 'Deleted';
  }
  if (node.conditions.some(({ type, status }) => type === 'Suspended' && status === 'True')) {
    return 'Suspended';
  }
  if (isReady(node, options)) {
    return 'Ready';
  }
  return node.createdAt !== null && now - node.createdAt < options.maxNodeStartupTime ? 'NotStarted' : 'Unready';
}
