import { AWAITING_PODS_TAINT, type Node } from '../model/cluster/node.ts';
import { changedNode, NO_CHANGE, type NodeChange } from '../model/cluster/node-change.ts';
import { isHeld, isLeaving, isPassingTaint } from '../model/cluster/node-condition.ts';
import { readable } from '../model/fault.ts';
import { groupOption } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import type { GroupName } from '../model/values/names.ts';
import { mapOptional } from '../model/values/optional.ts';
import { addTime, durationMs, type EpochMs, seconds } from '../model/values/time.ts';
import { isReady } from '../registry/readiness.ts';

/** Takes the taint off, whatever its value and effect. */
export const TAINT_REMOVAL: NodeChange = Object.freeze({
  ...NO_CHANGE,
  removeTaints: [{ key: AWAITING_PODS_TAINT, effect: null }],
});

/** The node as it is without the taint. */
export const withoutAwaitingPodsTaint = (node: Node): Node => changedNode(node, TAINT_REMOVAL);

/**
 * Would kube-scheduler use the node but for the taint? It is ready, it is not on its way out, and no other taint of a passing
 * condition is left: the node lifecycle controller takes `node.kubernetes.io/not-ready` off only after the node has become
 * ready, and a pod that is nominated before loses its nomination when the scheduler tries it.
 */
export function isReadyButAwaitingPods(node: Node, options: Options): boolean {
  if (!isHeld(node)) {
    return false;
  }
  const open = withoutAwaitingPodsTaint(node);
  return (
    isReady(open, options) &&
    !open.unschedulable &&
    !isLeaving(open) &&
    !open.taints.some(({ key, effect }) => effect !== 'PreferNoSchedule' && isPassingTaint(key))
  );
}

/**
 * The same for a node that may not have been evaluated: a node that fails an evaluation is reported by the evaluation.
 */
export const isAwaitingPods = (node: Node, options: Options): boolean =>
  readable(() => isReadyButAwaitingPods(node, options), false);

/** The groups to whose nodes pods are nominated: none where the option is off for the cluster, with which rights and webhook come. */
export function groupsThatNominate({
  nodeGroups,
  options,
}: Pick<Scenario, 'nodeGroups' | 'options'>): ReadonlySet<GroupName> {
  if (!options.plannedPlacement) {
    return new Set();
  }
  const nominating = nodeGroups.filter((group) => groupOption(options, group, 'plannedPlacement'));
  return new Set(nominating.map(({ name }) => name));
}

/** No node that has been ready for longer is left to the next evaluation, for the sake of the plan. */
const LONGEST_WAIT = seconds(10);

export const hasWaited = (node: Node, now: EpochMs): boolean => isLongAgo(readySince(node), LONGEST_WAIT, now);

/** Scale-up releases a node in one of the first evaluations that see it ready: after this something has gone wrong. */
const OVERDUE = seconds(30);
/** No ready node keeps the taint for longer, and the alarm is raised where one does. */
const LONGEST_HOLD = seconds(60);

/** Has it been ready for so long that it is released without waiting for anything? */
export const isOverdue = (node: Node, now: EpochMs): boolean => isLongAgo(readySince(node), OVERDUE, now);

/** When a node becomes overdue; `null` where the time of its readiness is unknown. */
export const overdueAt = (node: Node): EpochMs | null =>
  mapOptional(readySince(node), (since) => addTime(since, durationMs(OVERDUE + 1)));

/** The nodes that would be used but for the taint, and have been ready for so long that they are released without nominations. */
export const overdueNodes = (nodes: readonly Node[], options: Options, now: EpochMs): readonly Node[] =>
  nodes.filter((node) => isAwaitingPods(node, options) && isOverdue(node, now));

/** Held nodes that have kept the taint for longer than any node should, and since when. */
export function awaitingPodsTooLong(
  nodes: readonly Node[],
  options: Options,
  now: EpochMs,
): readonly { readonly node: Node; readonly since: EpochMs }[] {
  const found: { readonly node: Node; readonly since: EpochMs }[] = [];
  for (const node of nodes) {
    if (isAwaitingPods(node, options)) {
      const since = readySince(node);
      if (since !== null && isLongAgo(since, LONGEST_HOLD, now)) {
        found.push({ node, since });
      }
    }
  }
  return found;
}

/** By the kubelet's clock: of a time that is as far ahead nothing is known, and the node is not left held for it. */
const isLongAgo = (since: EpochMs | null, duration: number, now: EpochMs): boolean =>
  since === null || Math.abs(now - since) > duration;

export const readySince = ({ conditions, createdAt }: Node): EpochMs | null =>
  conditions.find(({ type }) => type === 'Ready')?.since ?? createdAt;
