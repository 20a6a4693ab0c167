import { firstItem } from '../model/values/existing.ts';
import type { NodeInGroup } from '../scaledown/node-budgets/node-budget-tracker.ts';
import {
  type Disruption,
  type DisruptionCancelled,
  type DeferredReason,
  disruptionName,
  replacedWithin,
} from '../model/disruption.ts';
import type { GroupName, NodeName, PodKey } from '../model/values/names.ts';
import { keyOf } from '../model/cluster/pod.ts';
import type { Node } from '../model/cluster/node.ts';
import { about } from '../model/fault.ts';
import { groupOption, groupsByNode } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import { nodesBeingRemoved } from '../model/state.ts';
import { getOptional, mapOptional } from '../model/values/optional.ts';
import type { TrialCandidate } from '../scaledown/candidates.ts';
import { shiftOf } from '../model/zonal-shift.ts';
import { isShifting } from '../nodegroups/zonal-shifts.ts';
import { sizeOf } from '../scaledown/eligibility.ts';
import { mustComplete } from '../scaledown/removable.ts';
import { checkCandidate, type RemovalContext, withWaitingNodes } from '../scaledown/removal-context.ts';
import type { RemovalCandidate } from '../scaledown/unneeded.ts';
import { DISRUPTION_MESSAGES } from '../words/disruption.ts';
import { causeNamed } from './causes/causes.ts';
import { daemonMissing } from './daemons.ts';
import type { DeferredDisruption } from './purchase.ts';
import { byAge, pausedNodes, type WaitingDisruption } from './waiting.ts';

/** The disruptions as they were stored, and what scale-up has planned for them. */
export interface StoredDisruptions {
  readonly stored: readonly Disruption[];
  /** Disruptions whose pods are planned elsewhere. */
  readonly accepted: readonly WaitingDisruption[];
  /** Why no places were planned for the pods of some disruptions, by the names of the disruptions. */
  readonly deferred: ReadonlyMap<string, DeferredDisruption>;
  readonly podsWithoutReadyNode: ReadonlySet<PodKey>;
  /** Why disruptions would take held capacity on existing nodes, in words, by the names of the disruptions. */
  readonly capacityConflicts: ReadonlyMap<string, string>;
}

/** How a disruption continues. */
export type DisruptionProgress = { readonly disruption: Disruption } & (
  | {
      readonly state: 'Waiting' | 'Held';
      readonly message: string | null;
      /** Why nothing was planned for the disruption; absent where something was. */
      readonly deferred?: DeferredReason;
    }
  | { readonly state: 'Cancelled'; readonly cancelled: DisruptionCancelled; readonly message: string | null }
  /** Its nodes may go. */
  | { readonly state: 'Ready'; readonly nodes: readonly RemovalCandidate[] }
);

/** How each stored disruption continues, the oldest first: of a PodDisruptionBudget it takes before the others. */
export function advanceDisruptions(context: RemovalContext, known: StoredDisruptions): readonly DisruptionProgress[] {
  const asBefore = known.accepted.length === 0 ? context : withWaitingNodes(context);
  return known.stored
    .toSorted(byAge)
    .map((disruption) =>
      about({ kind: 'node', node: firstItem(disruption.nodes) }, () => progressOf(disruption, known, asBefore)),
    );
}

/**
 * How a disruption continues: it waits for places, is given up, or has its nodes removed. The first of these that is true: it cannot come
 * true any more, what it is for is gone, its pods have no places, something keeps a node.
 *
 * @param context with nodes that wait as any other (`withWaitingNodes`).
 */
function progressOf(disruption: Disruption, known: StoredDisruptions, context: RemovalContext): DisruptionProgress {
  const { scenario, nodeBudgets } = context;
  const name = disruptionName(disruption);
  const isAccepted = known.accepted.some((one) => disruptionName(one.disruption) === name);
  const deferral = known.deferred.get(name);
  const cancel = (cancelled: DisruptionCancelled, message: string | null = null): DisruptionProgress => ({
    disruption,
    state: 'Cancelled',
    cancelled,
    message,
  });
  const stay = (state: 'Waiting' | 'Held', message: string | null) => ({ disruption, state, message });
  if (!isAccepted && deferral === undefined) {
    return cancel(whyUnplanned(disruption, scenario));
  }
  const gone = reasonGone(disruption, context);
  if (gone !== null) {
    return cancel(gone);
  }
  const leaving = leavingNodesOf(disruption, scenario);
  const hold = nodeBudgets.blockedBy(leaving, disruption.reason);
  if (hold?.zero === true && !nodeBudgets.opensBy(leaving, disruption.reason, disruption.deadline)) {
    return cancel('BudgetZero', hold.message);
  }
  if (deferral !== undefined) {
    return { ...stay('Waiting', deferral.message), deferred: deferral.why };
  }
  const short = groupAtMinimum(disruption, context);
  const lacking = whatIsNotReady(disruption, known, context);
  if (lacking !== null && short !== null && short !== disruption.replacement) {
    // Before another node is launched for the disruption. A node of its own group would come in its place.
    return cancel('Unremovable', DISRUPTION_MESSAGES.groupIsAtMinimum(short));
  }
  if (lacking !== null) {
    const failed = replacementFailed(disruption, context);
    return failed === null ? stay('Waiting', lacking) : cancel('ReplacementFailed', failed);
  }
  const missing = daemonMissing(scenario, disruption.since);
  if (missing !== null) {
    return stay('Waiting', DISRUPTION_MESSAGES.daemonMissing(missing.node, missing.daemonSet));
  }
  const checks = nodesOf(disruption, scenario).map((node) =>
    checkCandidate(context, node, { maxUtilization: Number.POSITIVE_INFINITY, ignoreMinSizeAndReadiness: true }),
  );
  const kept = checks.find((one) => one.kind === 'stays');
  if (kept !== undefined) {
    const message = DISRUPTION_MESSAGES.keptBy(kept.unremovable);
    return kept.unremovable.podReason === 'NotEnoughPdb' ? stay('Held', message) : cancel('Unremovable', message);
  }
  if (hold?.zero === true) {
    // Nodes launched for the disruption are not in vain: the disruption continues when the budget's schedule ends.
    return stay('Held', hold.message);
  }
  if (short !== null) {
    return cancel('Unremovable', DISRUPTION_MESSAGES.groupWouldShrink(short));
  }
  const candidates = checks.filter((one) => one.kind === 'candidate').map(({ candidate }) => candidate);
  const free = candidates.filter(({ drain }) => drain.waiting.length === 0);
  const waits = candidates.find((one) => !free.includes(one));
  if (free.length === 0 && waits !== undefined) {
    return stay('Held', DISRUPTION_MESSAGES.keptBy(mustComplete(waits, scenario)));
  }
  return withinPdbs(disruption, free, context);
}

/** Why a disruption was not among the disruptions that scale-up plans for. */
function whyUnplanned({ nodes, deadline }: Disruption, scenario: Scenario): DisruptionCancelled {
  if (scenario.now > deadline) {
    return 'DeadlineExceeded';
  }
  return pausedNodes(scenario, new Set(nodes)).size > 0 ? 'Paused' : 'NodeGone';
}

/**
 * The first thing without a place on ready nodes, in words: pods of the disruption, held capacity, or the minimum of its
 * group; `null`: nothing.
 */
function whatIsNotReady(
  disruption: Disruption,
  { podsWithoutReadyNode, capacityConflicts }: StoredDisruptions,
  context: RemovalContext,
): string | null {
  const pods = podsWithoutPlace(disruption, podsWithoutReadyNode, context.scenario);
  if (pods > 0) {
    return DISRUPTION_MESSAGES.podsWithoutPlace(pods);
  }
  return (
    capacityConflicts.get(disruptionName(disruption)) ??
    mapOptional(fewerThanMinimum(disruption, context), (group) => DISRUPTION_MESSAGES.awaitsNode(group))
  );
}

/** All nodes, or as many as PodDisruptionBudgets allow. */
function withinPdbs(
  disruption: Disruption,
  candidates: readonly TrialCandidate[],
  { pdbs }: RemovalContext,
): DisruptionProgress {
  const nodes: RemovalCandidate[] = [];
  let why: string | null = null;
  for (const candidate of candidates) {
    const { move } = candidate.drain;
    const { blocked, inParallel } = pdbs.canTake(move);
    if (blocked === null) {
      pdbs.take(move);
      nodes.push({
        candidate,
        since: disruption.since,
        destinations: [],
        risky: !inParallel,
        reason: disruption.reason,
        replaced: true,
      });
    } else {
      why ??= `pod ${keyOf(blocked.pod)}: ${blocked.reason}`;
    }
  }
  if (nodes.length === 0) {
    return { disruption, state: 'Held', message: why };
  }
  return { disruption, state: 'Ready', nodes };
}

const nodesOf = ({ nodes }: Disruption, { objects }: Scenario): readonly Node[] => {
  const names = new Set(nodes);
  return objects.nodes.filter(({ name }) => names.has(name));
};

/** Why nothing is to be done any more; `null` where there is still something. */
function reasonGone(disruption: Disruption, { scenario }: RemovalContext): DisruptionCancelled | null {
  const cause = causeNamed(disruption.reason);
  const groups = groupsByNode(scenario.nodeGroups);
  if (cause === null && isShifting(scenario)) {
    return 'ZonalShift';
  }
  for (const node of nodesOf(disruption, scenario)) {
    const group = groups.get(node.name);
    if (group !== undefined && shiftOf(node, group) !== undefined) {
      return 'ZonalShift';
    }
    const isOn =
      group !== undefined &&
      (cause?.isEnabled(group, scenario) ?? groupOption(scenario.options, group, 'consolidation') === 'replace');
    if (!isOn) {
      return 'TurnedOff';
    }
    if (cause !== null && cause.find(node, group, scenario) === null) {
      return 'ReasonGone';
    }
  }
  return null;
}

/** The cause in the disruption's node, in words; `null` where there is none, or the disruption only saves cost. */
export function causeIn(disruption: Disruption, scenario: Scenario): string | null {
  const cause = causeNamed(disruption.reason);
  const first = firstItem(disruption.nodes);
  const node = scenario.objects.nodes.find(({ name }) => name === first);
  const group = scenario.nodeGroups.find(({ nodes }) => nodes.includes(first));
  if (cause === null || node === undefined || group === undefined) {
    return null;
  }
  return cause.find(node, group, scenario);
}

/**
 * The group in which the new node is launched, as long as without the nodes of the disruption it would have fewer nodes that have come and stay
 * than its minimum: wherever the pods have their places, the node is launched (`increasesToMin`).
 */
function fewerThanMinimum(disruption: Disruption, { scenario, registry }: RemovalContext): GroupName | null {
  const group = scenario.nodeGroups.find(({ name }) => name === disruption.replacement);
  if (group === undefined) {
    return null;
  }
  const gone = new Set<NodeName>([
    ...disruption.nodes,
    ...(registry.groups.get(group.name)?.starting ?? []),
    ...nodesBeingRemoved(scenario.state),
  ]);
  const left = group.nodes.filter((node) => !gone.has(node)).length;
  return replacedWithin(group, { disruptions: [disruption] }) > 0 && left < group.minSize ? group.name : null;
}

/** A group that would have less than its minimum, since the new node is of another group. */
function groupAtMinimum({ nodes }: Disruption, { scenario, registry }: RemovalContext): GroupName | null {
  const names = new Set(nodes);
  return (
    scenario.nodeGroups.find((group) => {
      const own = group.nodes.filter((node) => names.has(node)).length;
      return own > 0 && sizeOf(group, registry) - own < group.minSize;
    })?.name ?? null
  );
}

/** The nodes of the disruption, with their groups. */
export function leavingNodesOf({ nodes }: Disruption, { nodeGroups }: Scenario): readonly NodeInGroup[] {
  const names = new Set(nodes);
  return nodeGroups.flatMap(({ name, nodes: own }) =>
    own.filter((node) => names.has(node)).map((node) => ({ node, group: name })),
  );
}

/** Number of pods of its nodes that have no place. */
export function podsWithoutPlace(
  { nodes }: Disruption,
  unplaced: ReadonlySet<PodKey>,
  { objects }: Pick<Scenario, 'objects'>,
): number {
  if (unplaced.size === 0) {
    return 0;
  }
  const names = new Set<NodeName | null>(nodes);
  return objects.pods.filter((pod) => names.has(pod.nodeName) && unplaced.has(keyOf(pod))).length;
}

/** Why the new node will not come, in words; `null` where it may. */
function replacementFailed({ replacement }: Disruption, { registry }: RemovalContext): string | null {
  const status = getOptional(registry.groups, replacement);
  const mayCome = status === undefined || status.upcoming > 0 || (status.backoff === null && status.shortage === null);
  if (replacement === null || mayCome) {
    return null;
  }
  return DISRUPTION_MESSAGES.groupFails(replacement);
}
