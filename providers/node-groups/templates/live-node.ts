import type { GroupName } from '../../../core/model/values/names.ts';
import { INSTANCE_TYPE_LABEL, type Node } from '../../../core/model/cluster/node.ts';
import { isLeaving, isNodeReady, isPassingTaint } from '../../../core/model/cluster/node-condition.ts';
import type { NodeTemplate } from '../../../core/model/node-group.ts';
import type { Resources } from '../../../core/model/values/resources.ts';
import { type DurationMs, type EpochMs, addTime, minutes } from '../../../core/model/values/time.ts';
import type { Labels } from '../../../core/model/cluster/selectors.ts';
import { newestFirst } from '../newest-first.ts';
import { newNode } from './new-node.ts';

/** How long a node must have been ready before its resources count as final (devices may register late). */
const STABLE_AFTER: DurationMs = minutes(1);

/**
 * The node that best represents the next one: ready, schedulable and not being removed; one that has been ready for a
 * minute before one that has not; the newest first, because it was started from the latest template.
 */
export function sampleNode(nodes: readonly Node[], now: EpochMs): Node | null {
  const good = nodes.filter(isGood).sort(newestFirst);
  return good.find((node) => isStable(node, now)) ?? good[0] ?? null;
}

/** The sample node of each instance type. */
export function sampleNodes(nodes: readonly Node[], now: EpochMs): ReadonlyMap<string, Node> {
  const byType = Map.groupBy(nodes, ({ labels }) => labels[INSTANCE_TYPE_LABEL] ?? '');
  return new Map(
    [...byType].flatMap(([type, own]) => {
      const node = sampleNode(own, now);
      return node === null ? [] : [[type, node] as const];
    }),
  );
}

/** Any node, for a group of which nothing else is known: its resources are right even when it is unhealthy. */
export const anyNode = (nodes: readonly Node[]): Node | null =>
  [...nodes].sort((a, b) => Number(isLeaving(a)) - Number(isLeaving(b)) || newestFirst(a, b))[0] ?? null;

const isGood = (node: Node): boolean => isNodeReady(node) && !node.unschedulable && !isLeaving(node);

const isStable = (node: Node, now: EpochMs): boolean => {
  const since = node.conditions.find(({ type }) => type === 'Ready')?.since ?? null;
  return since !== null && addTime(since, STABLE_AFTER) <= now;
};

/** Labels of one instance and its location: the next node will not have them. */
const OF_ONE_NODE = /^(?:topology\.k8s\.aws\/network-node-layer-\d+|alpha\.eksctl\.io\/instance-id)$/;

export const withoutNodeLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !OF_ONE_NODE.test(key)));

/**
 * Converts a live node into a template: without a name, healthy, and without what holds for that one node only. The
 * caller removes taints by `startupTaint` and `statusTaint` and adds pods.
 *
 * @param stated resources that tags or annotations state; those that the node does not have (a device plugin has not
 *   started yet) are added.
 */
export function templateOfLiveNode(group: GroupName, live: Node, stated: Resources): NodeTemplate {
  const missing = Object.fromEntries(Object.entries(stated).filter(([resource]) => !(resource in live.capacity)));
  return {
    node: newNode(group, {
      labels: withoutNodeLabels(live.labels),
      taints: live.taints.filter(({ key }) => !isPassingTaint(key)),
      capacity: { ...live.capacity, ...missing },
      allocatable: { ...live.allocatable, ...missing },
    }),
    pods: [],
  };
}
