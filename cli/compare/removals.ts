import type { Decision, Unremovable, UnremovableReason } from '@outrigger/core/model/decision.ts';
import { addTime, durationMs, type DurationMs, type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { GroupName, NodeName } from '@outrigger/core/model/values/names.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import type { HistoryDecision } from '@outrigger/core/ports/decision-history.ts';
import { roughly } from '@outrigger/core/words/when.ts';
import { whyNodeStaysInFull } from '@outrigger/core/words/why-node-stays.ts';
import type { ComparisonMaterial, ComparedRemoval } from './comparison.ts';
import { NO_GROUP } from './scale-ups.ts';

/** A removal, and how long one of the two has the node when the other has it not. */
export interface TimedRemoval extends ComparedRemoval {
  /** Until when Outrigger would have had the node. */
  readonly outriggerUntil: EpochMs;
  /** Until when the other has had the node. */
  readonly actingUntil: EpochMs;
}

/** Reasons that a node is kept for some time only: Outrigger removes it later. */
const LATER: ReadonlySet<UnremovableReason> = new Set([
  'NotUnneededLongEnough',
  'NotUnreadyLongEnough',
  'NodeGroupMaxDeletionCountReached',
  'DisruptionBudgetReached',
  'ReplacementPending',
]);

/** Stands for a learned unneeded time: the default of Cluster Autoscaler. */
const USUAL = minutes(10);

/** The nodes of groups as a decision of scale-down has observed them. */
interface ObservedNodes {
  readonly decision: Decision;
  readonly unneededTime: DurationMs;
  readonly nodes: ReadonlyMap<NodeName, GroupName>;
}

interface Proposal {
  readonly at: EpochMs;
  readonly group: GroupName;
}

/**
 * Pairs the removals that Outrigger decided with the nodes that have gone.
 *
 * @param scaleUps the times at which Outrigger would have added nodes: an observing Outrigger does not remember them, so the option
 * `scaleDownDelayAfterAdd` is applied here
 */
export function removalsOf(
  { decisions, announced, until }: ComparisonMaterial,
  scaleUps: readonly EpochMs[],
): readonly TimedRemoval[] {
  const proposals = new Map<NodeName, Proposal>();
  const found: TimedRemoval[] = [];
  const gone = new Set<NodeName>();
  /** The last observation in which each node was not being removed: it says whether Outrigger kept the node. */
  const judged = new Map<NodeName, ObservedNodes>();
  let before: ObservedNodes | null = null;
  const leave = (node: NodeName, group: GroupName, seen: ObservedNodes, { decision, at }: HistoryDecision): void => {
    const announcedAt = announced.nodes.get(node);
    const acting = { at: announcedAt ?? at, exact: announcedAt !== undefined };
    const proposal = proposals.get(node);
    proposals.delete(node);
    gone.add(node);
    if (!announced.interrupted.has(node)) {
      found.push(...goneNode({ node, group, acting, proposal, until }, seen, judged.get(node) ?? seen, decision));
    }
  };
  for (const decided of decisions) {
    const now = observed(decided, before, gone);
    if (now === null) {
      continue;
    }
    const { at, settings } = decided;
    for (const [node, group] of before?.nodes ?? []) {
      if (!now.nodes.has(node) && before !== null) {
        leave(node, group, before, decided);
      }
    }
    const { removals, unneeded, unremovable } = now.decision.scaleDown;
    const leaving = new Set(
      unremovable.filter(({ reason }) => reason === 'CurrentlyBeingDeleted').map(({ node }) => node),
    );
    for (const node of now.nodes.keys()) {
      if (!leaving.has(node)) {
        judged.set(node, now);
      }
    }
    const removed = new Map(removals.map(({ node, group }) => [node, group]));
    for (const [node, proposal] of proposals) {
      if (!removed.has(node) && !unneeded.includes(node) && !leaving.has(node)) {
        proposals.delete(node);
        if (proposal.at < at) {
          const why = unremovable.find((one) => one.node === node);
          found.push(neededAgain(node, proposal, at, why));
        }
      }
    }
    const last = scaleUps.findLast((time) => time <= at);
    const earliest = mapOptional(last, (time) => addTime(time, settings.scaleDownDelayAfterAdd)) ?? at;
    for (const [node, group] of removed) {
      proposals.set(node, proposals.get(node) ?? { at: Math.max(at, earliest) as EpochMs, group });
    }
    before = now;
  }
  // A cluster without nodes decides nothing new about them: the announcements and the sizes are left.
  const last = decisions.at(-1);
  for (const [node, group] of before?.nodes ?? []) {
    if (before !== null && last !== undefined && announced.nodes.has(node)) {
      leave(node, group, before, last);
    }
  }
  const left = [...proposals].filter(([, { at }]) => at < until);
  return [...found, ...left.map(([node, proposal]) => keptByOther(node, proposal, until))].toSorted(
    (a, b) => firstTime(a) - firstTime(b),
  );
}

export const firstTime = ({ outriggerAt, acting }: ComparedRemoval): EpochMs =>
  Math.min(outriggerAt ?? Infinity, acting?.at ?? Infinity) as EpochMs;

/** The nodes that a decision has observed, with their groups; `null` where it does not say. */
export function nodesIn({ nodeGroups, scaleDown }: Decision): ReadonlyMap<NodeName, GroupName> | null {
  if (scaleDown.result === 'NotEvaluated' || nodeGroups === undefined) {
    return null;
  }
  return new Map<NodeName, GroupName>([
    ...scaleDown.unremovable
      .filter(({ reason }) => reason === 'NotAutoscaled')
      .map(({ node }) => [node, NO_GROUP] as const),
    ...Object.entries(nodeGroups).flatMap(([group, { nodes = [] }]) =>
      nodes.map((node) => [node, group as GroupName] as const),
    ),
  ]);
}

/** A node whose instance has left its group is gone, though it is registered for a while, in no group. */
function observed(
  { decision, settings }: HistoryDecision,
  before: ObservedNodes | null,
  gone: ReadonlySet<NodeName>,
): ObservedNodes | null {
  const all = nodesIn(decision);
  if (all === null) {
    return null;
  }
  const nodes = [...all].filter(
    ([node, group]) => !gone.has(node) && (group !== NO_GROUP || (before?.nodes.get(node) ?? group) === group),
  );
  const { scaleDownUnneededTime: time } = settings;
  return { decision, nodes: new Map(nodes), unneededTime: time === 'auto' ? USUAL : time };
}

interface GoneNode {
  readonly node: NodeName;
  readonly group: GroupName;
  readonly acting: NonNullable<ComparedRemoval['acting']>;
  readonly proposal: Proposal | undefined;
  /** The end of the period. */
  readonly until: EpochMs;
}

/** The removal of a node that has gone; empty if the cloud took the node back or replaced it. */
function goneNode(
  { node, group, acting, proposal, until }: GoneNode,
  before: ObservedNodes,
  judged: ObservedNodes,
  now: Decision,
): readonly TimedRemoval[] {
  const ofGroup = [...before.nodes.values()].filter((one) => one === group).length;
  const isReplaced = (valueOf(now.registry.groups, group)?.target ?? 0) >= ofGroup;
  if (isReplaced || before.decision.departures?.some((one) => one.node === node) === true) {
    return [];
  }
  const of = { node, group, acting, actingUntil: acting.at };
  if (proposal !== undefined && proposal.at <= acting.at) {
    const { at } = proposal;
    const why = `Outrigger would have removed it ${roughly(durationMs(acting.at - at))} earlier`;
    return [{ ...of, by: 'both', outriggerAt: at, safe: true, why, outriggerUntil: at }];
  }
  return [{ ...of, by: 'acting', outriggerAt: null, ...whyKept(node, judged, acting.at, until) }];
}

/** Why Outrigger kept a node that the other has removed, and until when. */
function whyKept(
  node: NodeName,
  { decision: { scaleDown, state }, unneededTime }: ObservedNodes,
  at: EpochMs,
  until: EpochMs,
): Pick<TimedRemoval, 'safe' | 'why' | 'outriggerUntil'> {
  const kept = scaleDown.unremovable.find((one) => one.node === node);
  const since = valueOf(state.unneededSince, node);
  if (scaleDown.unneeded.includes(node) || (kept !== undefined && LATER.has(kept.reason))) {
    const due =
      mapOptional(since, (time) => Math.min(until, Math.max(at, addTime(time, unneededTime))) as EpochMs) ?? at;
    const why = mapOptional(kept, whyNodeStaysInFull) ?? 'unneeded, and not removed yet';
    return { safe: true, why: `Outrigger would have removed it later: ${why}`, outriggerUntil: due };
  }
  if (kept?.reason === 'NotAutoscaled') {
    return { safe: null, why: 'The node is in no node group that Outrigger scales', outriggerUntil: at };
  }
  if (kept === undefined) {
    return { safe: null, why: 'no decision mentions the node', outriggerUntil: until };
  }
  return { safe: false, why: `Outrigger keeps it: ${whyNodeStaysInFull(kept)}`, outriggerUntil: until };
}

/** A removal that Outrigger alone decided. */
const removalByOutrigger = (
  node: NodeName,
  { at, group }: Proposal,
  more: Pick<TimedRemoval, 'safe' | 'why' | 'actingUntil'>,
): TimedRemoval => ({ node, group, by: 'outrigger', outriggerAt: at, acting: null, outriggerUntil: at, ...more });

const neededAgain = (node: NodeName, proposal: Proposal, again: EpochMs, why: Unremovable | undefined): TimedRemoval =>
  removalByOutrigger(node, proposal, {
    safe: false,
    why: presentItems([
      `needed again ${roughly(durationMs(again - proposal.at))} later`,
      mapOptional(why, whyNodeStaysInFull),
    ]).join(': '),
    actingUntil: again,
  });

const keptByOther = (node: NodeName, proposal: Proposal, until: EpochMs): TimedRemoval =>
  removalByOutrigger(node, proposal, {
    safe: true,
    why: 'not needed until the end of the period, and kept by the other',
    actingUntil: until,
  });
