import { isHeld } from '../model/cluster/node-condition.ts';
import type { Decision } from '../model/decision.ts';
import type { Node } from '../model/cluster/node.ts';
import { readable } from '../model/fault.ts';
import { getExisting } from '../model/values/existing.ts';
import { keyOf, type Pod } from '../model/cluster/pod.ts';
import type { Options } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import type { State } from '../model/state.ts';
import { addTime, type EpochMs, epochMs, minutes, seconds } from '../model/values/time.ts';
import { groupsThatNominate, isAwaitingPods, isOverdue, overdueAt, overdueNodes } from './nodes-awaiting-pods.ts';

/** A node to be released, and the pods to be nominated to it before. */
export interface DueRelease {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** Pods come and go, and kube-scheduler goes on: a plan that is older is made anew before more is nominated by it. */
const FRESH = seconds(10);
/** A node that is not ready yet is looked at again after this, though the webhook should tell. */
const LOOK_AGAIN = seconds(30);
/** Interval at which upcoming nodes are looked for without a webhook. */
const LOOK_OUT = seconds(5);
/** Nodes that have not come this long after they were asked for are left to the schedule. */
const LONGEST_LOOK_OUT = minutes(5);
/** A node that is left to the next evaluation is looked at again after this, if no node could be released. */
const TRY_AGAIN = seconds(1);

/**
 * The releases of a decision, node by node, and overdue nodes that the decision does not name, without pods: scale-up may
 * have failed as a whole.
 */
export function dueReleases(
  { objects, options, now }: Scenario,
  { scaleUp: { releases = [] } }: Pick<Decision, 'scaleUp'>,
): readonly DueRelease[] {
  const named = new Set(releases.map(({ node }) => node));
  const overdue = overdueNodes(objects.nodes, options, now).filter(({ name }) => !named.has(name));
  if (releases.length === 0) {
    return overdue.map((node) => ({ node, pods: [] }));
  }
  const nodes = new Map(objects.nodes.map((node) => [node.name, node]));
  const keys = new Set(releases.flatMap(({ pods }) => pods));
  const pending = objects.pods.filter((pod) => pod.nodeName === null && keys.has(keyOf(pod)));
  const pods = new Map(pending.map((pod) => [keyOf(pod), pod]));
  const planned = releases
    .filter(({ node }) => nodes.has(node))
    .map(({ node, pods: of }) => ({ node: getExisting(nodes, node), pods: of.flatMap((key) => pods.get(key) ?? []) }));
  return [...planned, ...overdue.map((node) => ({ node, pods: [] }))];
}

/** May pods still be nominated by this plan? */
export const isFresh = ({ now: madeAt }: Pick<Scenario, 'now'>, now: EpochMs): boolean =>
  now - madeAt <= FRESH && now >= madeAt;

/**
 * When to look at held and upcoming nodes; `null`: at the next scan of the schedule. At once if this evaluation has
 * released nodes, and left ready nodes. Without a webhook that reports ready nodes, nodes are looked for every few
 * seconds; the webhook reports devices, too, for which nodes are held until they are overdue at the latest.
 *
 * @param freed nodes that have been released since the scenario was observed.
 * @param told whether the webhook tells when a node is ready for its pods.
 */
export function nextCheckAt(
  scenario: Pick<Scenario, 'objects' | 'options' | 'nodeGroups'>,
  { state, scaleUp: { awaitingDevices = [] } }: Pick<Decision, 'state' | 'scaleUp'>,
  { freed, now, told }: { readonly freed: ReadonlySet<Node>; readonly now: EpochMs; readonly told: boolean },
): EpochMs | null {
  const { objects, options } = scenario;
  const held = objects.nodes.filter((node) => readable(() => isHeld(node), false) && !freed.has(node));
  const incomplete = new Set(awaitingDevices);
  if (held.some((node) => isAwaitingPods(node, options) && !incomplete.has(node.name))) {
    return freed.size > 0 ? now : addTime(now, TRY_AGAIN);
  }
  const forDevices = held.filter(({ name }) => incomplete.has(name));
  if (!told && (forDevices.length > 0 || areOnTheirWay(scenario, state, now))) {
    return addTime(now, LOOK_OUT);
  }
  if (held.length === 0) {
    return null;
  }
  const overdue = forDevices.flatMap((node) => overdueAt(node) ?? []);
  return epochMs(Math.min(addTime(now, LOOK_AGAIN), ...overdue));
}

/** Ready nodes are opened by scale-up within this, unless its function has ended with them in hand. */
const REMIND_AFTER = seconds(5);

/**
 * When scale-down has scale-up look at nodes that are ready and still held; `null` where there are none except nodes
 * that scale-down releases itself.
 */
export function wakeScaleUpAt(nodes: readonly Node[], options: Options, now: EpochMs): EpochMs | null {
  if (nodes.some((node) => isAwaitingPods(node, options) && !isOverdue(node, now))) {
    return addTime(now, REMIND_AFTER);
  }
  return null;
}

/** Are there nodes to come that may be held for pods? */
function areOnTheirWay(
  scenario: Pick<Scenario, 'options' | 'nodeGroups'>,
  { scaleUpRequests }: Pick<State, 'scaleUpRequests'>,
  now: EpochMs,
): boolean {
  const nominating = groupsThatNominate(scenario);
  return scaleUpRequests.some(({ group, time }) => nominating.has(group) && now - time <= LONGEST_LOOK_OUT);
}
