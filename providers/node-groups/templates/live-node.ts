import { present } from '@outrigger/core/model/values/present.ts';
import { itemAt } from '@outrigger/core/model/values/existing.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { INSTANCE_TYPE_LABEL, type Node } from '@outrigger/core/model/cluster/node.ts';
import { isLeaving, isNodeReady, isPassingTaint } from '@outrigger/core/model/cluster/node-condition.ts';
import type { NodeTemplate } from '@outrigger/core/model/node-group.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import { CPU, MEMORY, type Resources } from '@outrigger/core/model/values/resources.ts';
import { type DurationMs, type EpochMs, addTime, minutes } from '@outrigger/core/model/values/time.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { newestFirst } from '@outrigger/core/model/cluster/newest-first.ts';
import { newNode } from './new-node.ts';

/** How long a node must have been ready before its resources count as final (devices may register late). */
const STABLE_AFTER: DurationMs = minutes(1);

/** A live node that represents the next one. */
export interface Sample {
  /** With the amounts that most of the nodes state. */
  readonly node: Node;
  /** Another node of the group and of the type states about the same amounts. */
  readonly confirmed: boolean;
}

/** Amounts come from the newest of the nodes, so that a changed launch template shows after a few of its nodes. */
const MOST_ASKED = 5;

/**
 * The node that best represents the next one: ready, schedulable and not being removed; nodes that have been ready for
 * a minute come first; then the newest first, as it was started from the latest template. A kubelet can state any
 * amounts of its node: the result has the median of the newest five such nodes of its type, of two the lower.
 */
export function sampleOf(nodes: readonly Node[], now: EpochMs): Sample | null {
  const good = nodes.filter(isGood).sort(newestFirst);
  const stable = good.filter((node) => isStable(node, now));
  const ranked = stable.length > 0 ? stable : good;
  const [newest] = ranked;
  if (newest === undefined) {
    return null;
  }
  const alike = ranked.filter((other) => typeOf(other) === typeOf(newest)).slice(0, MOST_ASKED);
  const node = withMedians(newest, alike);
  return { node, confirmed: alike.filter((other) => hasAmountsOf(node, other)).length > 1 };
}

export const sampleNode = (nodes: readonly Node[], now: EpochMs): Node | null => sampleOf(nodes, now)?.node ?? null;

/** The sample node of each instance type. */
export function sampleNodes(nodes: readonly Node[], now: EpochMs): ReadonlyMap<string, Sample> {
  const samples = new Map<string, Sample>();
  for (const [type, own] of Map.groupBy(nodes, typeOf)) {
    const sample = sampleOf(own, now);
    if (sample !== null) {
      samples.set(type, sample);
    }
  }
  return samples;
}

const typeOf = ({ labels }: Node): string => labels[INSTANCE_TYPE_LABEL] ?? '';

function withMedians(newest: Node, nodes: readonly Node[]): Node {
  if (nodes.length === 1) {
    return newest;
  }
  return {
    ...newest,
    capacity: mediansOf(nodes.map(({ capacity }) => capacity)),
    allocatable: mediansOf(nodes.map(({ allocatable }) => allocatable)),
  };
}

/** The median of each resource; a resource that most of the nodes do not have is left out. */
function mediansOf(all: readonly Resources[]): Resources {
  const names = new Set(all.flatMap(Object.keys));
  const middle = Math.floor((all.length - 1) / 2);
  const medianOf = (name: string): number =>
    itemAt(
      all.map((resources) => valueOf(resources, name) ?? -1).sort((a, b) => a - b),
      middle,
    );
  return Object.fromEntries(
    [...names].map((name) => [name, medianOf(name)] as const).filter(([, median]) => median >= 0),
  );
}

/** Equal machines differ by some KiB of memory. */
const SAME_AMOUNT = 0.01;

/** Do nodes state about the same CPU and memory? */
export const hasAmountsOf = (a: Node, b: Node): boolean =>
  [CPU, MEMORY].every(
    (name) =>
      isAbout(a.allocatable[name] ?? 0, b.allocatable[name] ?? 0) &&
      isAbout(a.capacity[name] ?? 0, b.capacity[name] ?? 0),
  );

const isAbout = (a: number, b: number): boolean => Math.abs(a - b) <= Math.max(a, b) * SAME_AMOUNT;

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
 * Converts a live node into a template: without a name, healthy, and without properties of that one node. The caller
 * removes taints by `startupTaint` and `statusTaint` and adds pods.
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
      ...present({ declaredFeatures: live.declaredFeatures }),
    }),
    pods: [],
  };
}
