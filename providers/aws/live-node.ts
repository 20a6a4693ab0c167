import type { GroupName } from '../../core/model/names.ts';
import { DELETION_CANDIDATE_TAINT, HOSTNAME_LABEL, type Node, TO_BE_DELETED_TAINT } from '../../core/model/node.ts';
import type { NodeTemplate } from '../../core/model/node-group.ts';
import type { Resources } from '../../core/model/resources.ts';
import { type DurationMs, type EpochMs, addTime, minutes } from '../../core/model/time.ts';
import { newestFirst } from './instances.ts';
import { FRESH_CONDITIONS, templateName } from './template.ts';

/** How long a node must have been ready before what it shows is taken as settled (devices may register late). */
const STABLE_AFTER: DurationMs = minutes(1);

const NOT_READY_TAINTS = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/network-unavailable',
]);

/** A node that bears one is not done starting: it may yet lack devices. */
const isStartup = (key: string): boolean =>
  key.startsWith('startup-taint.cluster-autoscaler.kubernetes.io/') ||
  key.startsWith('ignore-taint.cluster-autoscaler.kubernetes.io/');

/**
 * The node that best shows what the next one will look like: ready, schedulable and not on its way out; one that has
 * been ready for a minute before one that has not; the newest first, for it was started from the latest template.
 */
export function exemplaryNode(nodes: readonly Node[], now: EpochMs): Node | null {
  const good = nodes.filter(isGood).sort(newestFirst);
  return good.find((node) => isStable(node, now)) ?? good[0] ?? null;
}

/** Any node at all, for a group that nothing else is known of: its shape is right even when it is unwell. */
export const anyNode = (nodes: readonly Node[]): Node | null =>
  [...nodes].sort((a, b) => Number(isLeaving(a)) - Number(isLeaving(b)) || newestFirst(a, b))[0] ?? null;

const isGood = (node: Node): boolean => isReady(node) && !node.unschedulable && !isLeaving(node);

const isLeaving = (node: Node): boolean =>
  node.deletedAt !== null || node.taints.some(({ key }) => key === TO_BE_DELETED_TAINT);

const statusOf = (node: Node, type: string) => node.conditions.find((condition) => condition.type === type);

function isReady(node: Node): boolean {
  return (
    statusOf(node, 'Ready')?.status === 'True' &&
    statusOf(node, 'DiskPressure')?.status !== 'True' &&
    statusOf(node, 'NetworkUnavailable')?.status !== 'True' &&
    !node.taints.some(({ key }) => NOT_READY_TAINTS.has(key) || isStartup(key))
  );
}

const isStable = (node: Node, now: EpochMs): boolean => {
  const since = statusOf(node, 'Ready')?.since ?? null;
  return since !== null && addTime(since, STABLE_AFTER) <= now;
};

/** Taints that tell of one node's passing condition: Cluster Autoscaler's list for templates. */
const PASSING_TAINTS = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/pid-pressure',
  'node.kubernetes.io/network-unavailable',
  'node.cloudprovider.kubernetes.io/uninitialized',
  'node.cloudprovider.kubernetes.io/shutdown',
  'cloud.google.com/impending-node-termination',
  'NodeWithImpairedVolumes',
  TO_BE_DELETED_TAINT,
  DELETION_CANDIDATE_TAINT,
]);

const isPassing = (key: string): boolean =>
  PASSING_TAINTS.has(key) || isStartup(key) || key.startsWith('status-taint.cluster-autoscaler.kubernetes.io/');

/**
 * Turns a live node into a template: nameless, healthy, without what holds for that one node only. Taints named by
 * `startupTaint` and `statusTaint` are for the caller to strip, who knows the options, and so are the pods to add.
 *
 * @param tagged resources from tags; those that the node does not show (a device plugin has yet to start) are added.
 */
export function templateOfLiveNode(group: GroupName, live: Node, tagged: Resources): NodeTemplate {
  const name = templateName(group);
  const missing = Object.fromEntries(Object.entries(tagged).filter(([resource]) => !(resource in live.capacity)));
  return {
    node: {
      ...live,
      name,
      uid: '',
      labels: { ...live.labels, [HOSTNAME_LABEL]: name },
      annotations: {},
      createdAt: null,
      deletedAt: null,
      providerId: null,
      unschedulable: false,
      taints: live.taints.filter(({ key }) => !isPassing(key)),
      capacity: { ...live.capacity, ...missing },
      allocatable: { ...live.allocatable, ...missing },
      conditions: FRESH_CONDITIONS,
    },
    pods: [],
  };
}
