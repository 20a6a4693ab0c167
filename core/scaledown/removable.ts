import { firstItem, getExisting } from '../model/values/existing.ts';
import { addCount, countBy } from '../model/values/counts.ts';
import type { Unremovable, UnremovableReason } from '../model/decision.ts';
import type { Disruption } from '../model/disruption.ts';
import type { GroupName, NodeName } from '../model/values/names.ts';
import { endingNodes, groupOption, type NodeGroup } from '../model/node-group.ts';
import { keyOf } from '../model/cluster/pod.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import type { Scenario } from '../model/scenario.ts';
import { nodesBeingRemoved, type State } from '../model/state.ts';
import { largestShare } from '../model/values/resources.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import { type DurationMs } from '../model/values/time.ts';
import { stillCounted } from '../registry/ended-nodes.ts';
import type { Registry } from '../registry/registry.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';
import { type TrialCandidate, isEmpty } from './candidates.ts';
import { jobMessage } from './drainability/job.ts';
import { sizeOf } from './eligibility.ts';
import { clusterMinimums } from './minimums.ts';
import { evenList, evenOrder, type EvenOrder, removalQueue } from './even-groups.ts';
import { withEvenZones } from './even-zones.ts';
import type { RemovalContext } from './removal-context.ts';
import type { RemovalCandidate } from './unneeded.ts';
import { isLearned, unneededTimeOf } from './unneeded-time.ts';

interface Removable {
  /** In the order in which they are to be removed. */
  readonly nodes: readonly RemovalCandidate[];
  readonly unremovable: readonly Unremovable[];
  /** Some would be, but for the cool-down of their groups. */
  readonly cooling: boolean;
}

/**
 * Selects the unneeded nodes to remove now: nodes that have been unneeded for long enough, as far as minimums allow.
 * Empty nodes come first, then nodes whose replacement is ready; of both kinds of drained nodes, those whose pods
 * cannot all be evicted at once come last. Among equals the largest of similar groups comes first, and of a group the
 * fuller zone.
 *
 * Follows `RemovableAt`, `sortByRisk` and the atomic filter of Cluster Autoscaler's scaledown. Besides, a group keeps as many
 * unneeded nodes as it awaits, and all of them while its size is not what it should be.
 */
export function removableNow(unneeded: readonly RemovalCandidate[], context: RemovalContext): Removable {
  const { scenario } = context;
  // Nodes that wait for their replacement count as leaving, unless they are in `unneeded`.
  const asked = new Set(unneeded.map(({ candidate: { node } }) => node.name));
  const underWay = scenario.state.deletionsInProgress.filter(({ node }) => !asked.has(node));
  const ask = (some: readonly RemovalCandidate[]): Removable => {
    const found = oneByOne(some, context, underWay);
    const parts = partsOfGroups(found.nodes, scenario);
    // The nodes in `parts` stay, and take nothing of the minimums from the rest.
    if (parts.size === 0) {
      return found;
    }
    return withoutParts(found, parts, ask(some.filter((one) => !parts.has(groupOf(one)))));
  };
  return ask(unneeded);
}

/** Also of groups that are all or nothing, of which it may be a part. */
function oneByOne(
  unneeded: readonly RemovalCandidate[],
  context: RemovalContext,
  underWay: State['deletionsInProgress'],
): Removable {
  const { scenario, registry, hold } = context;
  const { objects } = scenario;
  const minimums = clusterMinimums(scenario, nodesBeingRemoved({ deletionsInProgress: underWay }));
  const sizes = new Map<GroupName, number>(
    scenario.nodeGroups.map((group) => [group.name, sizeOf(group, registry) - stillCounted(group, underWay)]),
  );
  const there = new Set([...objects.nodes.map(({ name }) => name), ...objects.excludedNodes.map(({ node }) => node)]);
  // Once for each group: it looks at all of the group's nodes.
  const growthOf = rememberedOf((group: NodeGroup) => growthOfGroup(group, registry, there));
  const replacement = firstReplacement(scenario);
  const left = countBy(unneeded, groupOf);
  let cooling = false;
  const nodes: RemovalCandidate[] = [];
  const unremovable: Unremovable[] = [];
  for (const one of inOrder(unneeded, scenario, evenOrder(context))) {
    const { node, group } = one.candidate;
    const stays = (reason: UnremovableReason, more: Partial<Unremovable> = {}): unknown =>
      unremovable.push({ node: node.name, reason, ...more });
    const early = tooEarly(one, scenario);
    const { awaited, wrongSize } = growthOf(group);
    const cool = one.reason === undefined ? (hold.groups.get(group.name) ?? null) : null;
    if (early !== null) {
      unremovable.push(early);
    } else if (one.candidate.drain.waiting.length > 0) {
      unremovable.push(mustComplete(one.candidate, scenario));
    } else if (replacement !== undefined && isOnlyUnneeded(one) && (node.createdAt ?? 0) >= replacement.since) {
      stays('NotUnneededOtherReason', { message: NODE_MESSAGES.replacementUnderWay(firstItem(replacement.nodes)) });
    } else if (wrongSize !== null) {
      stays('NotUnneededOtherReason', { message: wrongSize });
    } else if (getExisting(left, group) <= awaited) {
      stays('NotUnneededOtherReason', { message: NODE_MESSAGES.groupGrowing(group.name, awaited) });
    } else if (getExisting(sizes, group.name) <= group.minSize) {
      stays('NodeGroupMinSizeReached', {
        message: NODE_MESSAGES.othersGoFirst(group.name, group.minSize, group.scheduledMinimum),
      });
    } else if (cool !== null) {
      cooling = true;
      stays('NotUnneededOtherReason', { message: cool });
    } else {
      const short = minimums.take(node);
      if (short !== null) {
        stays('MinimalResourceLimitExceeded', { message: short });
      } else {
        sizes.set(group.name, getExisting(sizes, group.name) - 1);
        addCount(left, group, -1);
        nodes.push(one);
      }
    }
  }
  return { nodes, unremovable, cooling };
}

/**
 * The oldest disruption that nodes are launched for. Nodes that have come since stay until it ends: kube-scheduler prefers the emptiest node, so
 * pods of a removed one would take the next replacement, and another one would be launched, again and again.
 */
const firstReplacement = ({ state: { disruptions = [] } }: Scenario): Disruption | undefined =>
  disruptions.filter(({ replacement }) => replacement !== null).toSorted((a, b) => a.since - b.since)[0];

/** Is it to go only because the cluster can do without it, and not for a disruption? */
export const isOnlyUnneeded = ({ reason = 'Underutilized', replaced = false }: RemovalCandidate): boolean =>
  reason === 'Underutilized' && !replaced;

/** Why the node waits: for the first of its pods that asks for it by annotation, or is of a Job. */
export function mustComplete(
  { node, drain }: Pick<TrialCandidate, 'node' | 'drain'>,
  { options, now }: Pick<Scenario, 'options' | 'now'>,
): Unremovable {
  const pod = firstItem(drain.waiting);
  const message = jobMessage(pod, options, now);
  const blocked = { node: node.name, reason: 'BlockedByOnCompletionPod', pod: keyOf(pod) } as const;
  if (message === null) {
    return blocked;
  }
  return { ...blocked, podReason: 'JobRunning', message };
}

/**
 * The nodes in the order of removal. Nodes whose time has come keep similar groups, and the zones of each group, even;
 * the rest stay anyway.
 */
function inOrder(
  unneeded: readonly RemovalCandidate[],
  scenario: Scenario,
  order: EvenOrder,
): readonly RemovalCandidate[] {
  const mayGo = (one: RemovalCandidate): boolean =>
    tooEarly(one, scenario) === null && one.candidate.drain.waiting.length === 0;
  return [0, 1, 2, 3, 4].flatMap((place) => {
    const alike = unneeded.filter((one) => rank(one) === place);
    const queue = removalQueue(
      order,
      alike.filter(mayGo),
      ({ candidate }) => candidate.group.name,
      () => '',
    );
    return [...withLargestFirst(withEvenZones(evenList(queue)), scenario), ...alike.filter((one) => !mayGo(one))];
  });
}

/**
 * Sorts the nodes of each disruption by their largest pods. The capacity that was provisioned for a disruption may be the
 * only capacity for large pods, and small pods take it when evicted first. Each disruption keeps its positions among the
 * other nodes.
 */
function withLargestFirst(
  nodes: readonly RemovalCandidate[],
  { state: { disruptions = [] } }: Pick<Scenario, 'state'>,
): readonly RemovalCandidate[] {
  const byNode = new Map(
    disruptions.flatMap((disruption) => disruption.nodes.map((node) => [node, disruption] as const)),
  );
  const disruptionOf = (one: RemovalCandidate) => byNode.get(one.candidate.node.name) ?? one;
  const ordered = new Map(
    [...Map.groupBy(nodes, disruptionOf)].map(([disruption, own]) => [disruption, largestFirst(own).values()] as const),
  );
  return nodes.map((one) => getExisting(ordered, disruptionOf(one)).next().value!);
}

function largestFirst(nodes: readonly RemovalCandidate[]): readonly RemovalCandidate[] {
  const [first] = nodes;
  if (first === undefined || nodes.length === 1) {
    return nodes;
  }
  const { allocatable } = first.candidate.node;
  const sizes = new Map(
    nodes.map((one) => [
      one,
      Math.max(0, ...one.candidate.drain.move.map((pod) => largestShare(podRequests(pod), allocatable))),
    ]),
  );
  return nodes.toSorted((a, b) => getExisting(sizes, b) - getExisting(sizes, a));
}

/** Replaced nodes stand in for their replacements meanwhile: they are drained before unneeded nodes. */
function rank({ candidate, risky, replaced = false }: RemovalCandidate): number {
  if (isEmpty(candidate)) {
    return 0;
  }
  return (replaced ? 1 : 3) + Number(risky);
}

/** Until it has been unneeded for more than the group's time, to the moment. */
function tooEarly(one: RemovalCandidate, scenario: Scenario): Unremovable | null {
  const {
    candidate: { node, group, ready },
    since,
    reason,
  } = one;
  if (reason !== undefined) {
    return null;
  }
  const needed = ready ? unneededTimeOf(scenario, group) : groupOption(scenario.options, group, 'scaleDownUnreadyTime');
  if (needed <= 0 || since + needed < scenario.now) {
    return null;
  }
  const been = (scenario.now - since) as DurationMs;
  return {
    node: node.name,
    reason: ready ? 'NotUnneededLongEnough' : 'NotUnreadyLongEnough',
    message: NODE_MESSAGES.unneededTooShort(been, needed, ready && isLearned(scenario, group)),
  };
}

/** How far a group is from what it was asked for. */
interface GroupGrowth {
  /** Number of its nodes that are still to come or to become ready. */
  readonly awaited: number;
  /** Why the size is wrong, in words; `null` where awaited or leaving nodes explain it. */
  readonly wrongSize: string | null;
}

const SETTLED: GroupGrowth = { awaited: 0, wrongSize: null };

/**
 * Nodes whose instances are on their way out are no part of the group: a lifecycle hook may keep them for an hour. An instance
 * beyond what was asked for is not awaited: another one ends for it.
 */
function growthOfGroup(group: NodeGroup, { groups }: Registry, there: ReadonlySet<NodeName>): GroupGrowth {
  const { name, nodes } = group;
  const status = groups.get(name);
  if (status === undefined) {
    return SETTLED;
  }
  const { registered, unregistered, longUnregistered, acceptable } = status.report;
  const ending = new Set(endingNodes(group));
  const staying = registered - nodes.filter((node) => ending.has(node) && there.has(node)).length;
  const failed = status.beyondRepair.filter(({ error }) => error !== null).length;
  const missing = acceptable.current - longUnregistered - failed - staying;
  const isExplained = missing <= unregistered || staying >= acceptable.min - failed;
  return {
    awaited: Math.max(0, Math.min(status.upcoming, missing + status.starting.length)),
    wrongSize:
      staying > acceptable.max || !isExplained
        ? NODE_MESSAGES.groupOfWrongSize(name, staying, acceptable.current)
        : null,
  };
}

interface OfGroup {
  readonly candidate: Pick<TrialCandidate, 'group'>;
}

/** The groups that are scaled from zero to their maximum and back of which only some nodes would go: so none does. */
export function partsOfGroups(nodes: readonly OfGroup[], scenario: Scenario): ReadonlySet<NodeGroup> {
  const atomic = nodes.map(groupOf).filter((group) => groupOption(scenario.options, group, 'zeroOrMaxNodeScaling'));
  const parts = [...countBy(atomic, (group) => group)].filter(([group, count]) => !isWhole(group, count, scenario));
  return new Set(parts.map(([group]) => group));
}

/** @param others the result without the nodes of these groups. */
function withoutParts(found: Removable, parts: ReadonlySet<NodeGroup>, others: Removable): Removable {
  const names = new Set([...parts].flatMap(({ nodes }) => nodes));
  const part = found.nodes.filter((one) => parts.has(groupOf(one)));
  return {
    nodes: others.nodes,
    unremovable: [
      ...found.unremovable.filter(({ node }) => names.has(node)),
      ...part.map(({ candidate: { node, group } }) => ({
        node: node.name,
        reason: 'AtomicScaleDownFailed' as const,
        message: NODE_MESSAGES.groupAtomic(group.name),
      })),
      ...others.unremovable,
    ],
    cooling: found.cooling,
  };
}

const groupOf = ({ candidate: { group } }: OfGroup): NodeGroup => group;

/** All that the group was asked for, or all of it that has become nodes: instances that never come hold nothing up. */
function isWhole({ targetSize, nodes }: NodeGroup, count: number, { objects }: Scenario): boolean {
  const known = new Set(nodes);
  return count === targetSize || count === objects.nodes.filter(({ name }) => known.has(name)).length;
}
