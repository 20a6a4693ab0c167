import { FILL_TAINTS } from './fill-taints.ts';
import { AWAITING_PODS_TAINT, DELETION_CANDIDATE_TAINT, type Node, TO_BE_DELETED_TAINT } from './node.ts';
import { DISRUPTION_TAINT, isBeingRemoved, KARPENTER_TAINTS } from './removal-taints.ts';
import type { EpochMs } from '../values/time.ts';

/** Taints whose presence alone says that a node is not ready. */
const NOT_READY_TAINTS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/network-unavailable',
]);

/** The cloud's controller manager puts it on the Node of an instance that is stopped, until the Node is ready again. */
const SHUTDOWN_TAINT = 'node.cloudprovider.kubernetes.io/shutdown';

export const isStopped = ({ taints }: Pick<Node, 'taints'>): boolean =>
  taints.some(({ key }) => key === SHUTDOWN_TAINT);

/** Taints for a passing condition of one node: a new node of its group does not have them. */
const PASSING_TAINTS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/pid-pressure',
  'node.kubernetes.io/network-unavailable',
  'node.cloudprovider.kubernetes.io/uninitialized',
  SHUTDOWN_TAINT,
  'cloud.google.com/impending-node-termination',
  'NodeWithImpairedVolumes',
  TO_BE_DELETED_TAINT,
  DELETION_CANDIDATE_TAINT,
  DISRUPTION_TAINT,
  ...FILL_TAINTS.map(({ key }) => key),
  ...KARPENTER_TAINTS,
]);

/** Named, by its prefix, as one that a node bears only until something on it has started; or the one that awaits pods. */
const isStartupTaint = (key: string): boolean =>
  key === AWAITING_PODS_TAINT ||
  key.startsWith('startup-taint.cluster-autoscaler.kubernetes.io/') ||
  key.startsWith('ignore-taint.cluster-autoscaler.kubernetes.io/');

/** A taint that a new node of the same group will not have. Follows Cluster Autoscaler's utils/taints. */
export const isPassingTaint = (key: string): boolean =>
  PASSING_TAINTS.has(key) || isStartupTaint(key) || key.startsWith('status-taint.cluster-autoscaler.kubernetes.io/');

/** When the kubelet first said that the node is ready; `null` where it does not say so. */
export const becameReadyAt = ({ conditions }: Pick<Node, 'conditions'>): EpochMs | null =>
  conditions.find(({ type, status }) => type === 'Ready' && status === 'True')?.since ?? null;

/**
 * Ready for pods: condition Ready is True, neither DiskPressure nor NetworkUnavailable is, no taint says otherwise, and
 * no startup taint is left. A node without a Ready condition is not ready.
 *
 * Follows `GetReadinessState` of Cluster Autoscaler's utils/kubernetes/ready.go and its treatment of startup taints.
 */
export function isNodeReady({ conditions, taints }: Node): boolean {
  let ready = false;
  for (const { type, status } of conditions) {
    if (type === 'Ready') {
      ready = status === 'True';
    } else if ((type === 'DiskPressure' || type === 'NetworkUnavailable') && status === 'True') {
      return false;
    }
  }
  return ready && !taints.some(({ key }) => NOT_READY_TAINTS.has(key) || isStartupTaint(key));
}

/** On its way out: being deleted, or marked for removal. */
export const isLeaving = (node: Node): boolean => node.deletedAt !== null || isBeingRemoved(node);

/** Does the taint of planned placement keep kube-scheduler off the node? */
export const isHeld = ({ taints }: Pick<Node, 'taints'>): boolean =>
  taints.some(({ key }) => key === AWAITING_PODS_TAINT);
