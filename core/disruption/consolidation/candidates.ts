import { about } from '../../model/fault.ts';
import { byName, type NodeName } from '../../model/values/names.ts';
import type { Node } from '../../model/cluster/node.ts';
import { groupOption, groupsByNode, type NodeGroup } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { type DurationMs, durationMs, minutes } from '../../model/values/time.ts';
import type { TrialCandidate } from '../../scaledown/candidates.ts';
import { evenList, type EvenOrder, evenOrder, removalQueue, type RemovalQueue } from '../../scaledown/even-groups.ts';
import { jobMessage } from '../../scaledown/drainability/job.ts';
import { checkCandidate } from '../../scaledown/removal-context.ts';
import { CONSOLIDATION_MESSAGES } from '../../words/consolidation.ts';
import { whyTakesPods } from '../../words/headroom.ts';
import { NODE_MESSAGES } from '../../words/node-messages.ts';
import { disruptionCost } from '../cost-benefit/eviction-cost.ts';
import type { ProposalContext } from '../proposal-context.ts';
import type { MovesLeft } from '../cost-benefit/moves-left.ts';
import { type NodeCostInput, moveCost } from '../cost-benefit/savings.ts';
import type { NodeCosts } from './node-costs.ts';
import { purchaseOptionOf } from './purchase-option.ts';

/** A node that may be consolidated, as far as is known without trying where its pods would go. */
export interface Consolidable extends NodeCostInput {
  readonly candidate: TrialCandidate;
  /** May a new node be launched for its pods? */
  readonly replace: boolean;
  /** How long what a replacement saves counts, at most `horizon`. */
  readonly replaceHorizon: DurationMs;
  /** The least share of its cost that a replacement must save. */
  readonly minSaving: number;
}

/** The context of proposals, with what consolidation judges them by. */
export interface ConsolidationContext extends ProposalContext {
  readonly costs: NodeCosts;
  readonly moves: MovesLeft;
}

export interface ConsolidableNodes {
  /** Sorted by cost relative to the disruption of their pods, the highest first. */
  readonly nodes: readonly Consolidable[];
  /** The order among nodes that cost alike. */
  readonly order: EvenOrder;
  /** Why others stay for whose group the option is set, in words. */
  readonly why: ReadonlyMap<NodeName, string>;
}

/** The share of the time since the last launch for which no launch is expected. */
const QUIET = 0.5;

/** The assumed age of a node without a creation time. */
const UNKNOWN_AGE = minutes(24 * 60);

/** The nodes that may be consolidated, in Karpenter's order: by their cost for each pod that moves. */
export function consolidableNodes(context: ConsolidationContext): ConsolidableNodes {
  const { scenario, destinationNodes } = context;
  const groups = groupsByNode(
    scenario.nodeGroups.filter((group) => groupOption(scenario.options, group, 'consolidation') !== 'off'),
  );
  const rows: { readonly one: Consolidable; readonly ratio: number }[] = [];
  const why = new Map<NodeName, string>();
  for (const { name, node } of destinationNodes) {
    const group = groups.get(name);
    if (group === undefined) {
      continue;
    }
    about({ kind: 'node', node: name }, () => {
      const found = consolidable(node, group, context);
      if (typeof found === 'string') {
        why.set(name, found);
      } else if (found !== null) {
        rows.push({ one: found, ratio: found.cost / disruptionCost(found.candidate.drain.move) });
      }
    });
  }
  rows.sort((a, b) => b.ratio - a.ratio || byName(candidateName(a.one), candidateName(b.one)));
  const order = evenOrder(context, context.unneeded);
  const nodes = rows.map(({ one }) => one);
  return { nodes: evenList(consolidationQueue(order, nodes)), order, why };
}

/** Prices differ by some percent between zones: no reason to empty one of the zones. */
export const consolidationQueue = (order: EvenOrder, nodes: readonly Consolidable[]): RemovalQueue<Consolidable> =>
  removalQueue(
    order,
    nodes,
    ({ candidate }) => candidate.group.name,
    ({ candidate }) => disruptionCost(candidate.drain.move).toPrecision(3),
  );

export const candidateName = ({ candidate: { node } }: Consolidable): NodeName => node.name;

/** @returns why it may not be; `null` where that is said elsewhere. */
function consolidable(node: Node, group: NodeGroup, context: ConsolidationContext): Consolidable | string | null {
  const { scenario, cluster, usedDestinations, pdbs, underWay, costs, moves } = context;
  const { options, now } = scenario;
  if (groupOption(options, group, 'zeroOrMaxNodeScaling')) {
    return CONSOLIDATION_MESSAGES.asAWhole();
  }
  const unread = scenario.commitments?.find((one) => one.kind === 'Unread');
  if (unread !== undefined && purchaseOptionOf(node, group) !== 'spot') {
    return CONSOLIDATION_MESSAGES.commitmentsUnread(unread.call);
  }
  const age = mapOptional(node.createdAt, (at) => durationMs(Math.max(0, now - at))) ?? UNKNOWN_AGE;
  const minAge = groupOption(options, group, 'consolidationMinNodeAge');
  if (age < minAge) {
    return CONSOLIDATION_MESSAGES.tooYoung(age, minAge);
  }
  if (underWay.has(node.name)) {
    return null;
  }
  const maxUtilization = groupOption(options, group, 'consolidationUtilizationThreshold');
  const check = checkCandidate(context, node, { maxUtilization });
  if (check.kind === 'stays') {
    const { podReason, message } = check.unremovable;
    return mapOptional(podReason, (reason) => message ?? reason) ?? null;
  }
  const { candidate } = check;
  const { drain, info, pods } = candidate;
  const [waiting] = drain.waiting;
  if (waiting !== undefined) {
    return jobMessage(waiting, options, now) ?? CONSOLIDATION_MESSAGES.waitsForPod();
  }
  if (usedDestinations.has(info)) {
    return NODE_MESSAGES.takesPodsOfOthers();
  }
  const takes = whyTakesPods(info.name, info.podCount - pods.length, cluster.held);
  if (takes !== null) {
    return takes;
  }
  const objection =
    changedLately(candidate, scenario) ?? moves.blockedBy(drain.move) ?? pdbs.canTake(drain.move).blocked?.reason;
  if (objection !== undefined) {
    return objection;
  }
  const cost = costs.of(node, group);
  return {
    candidate,
    cost,
    moves: moveCost(drain.move, node, cost, now),
    ...horizonsOf(age, scenario),
    replace: groupOption(options, group, 'consolidation') === 'replace',
    minSaving: groupOption(options, group, 'consolidationMinSaving'),
  };
}

/**
 * A node's remaining life is guessed by its age. A replacement has just as much room as is needed now, so the next pods that want
 * a node take the saving back. How long none will come is guessed by how long none has, and as they come in bursts, by half of it.
 */
function horizonsOf(
  age: DurationMs,
  { options: { consolidationHorizon: given }, state: { lastScaleUp }, now }: Scenario,
): Pick<Consolidable, 'horizon' | 'replaceHorizon'> {
  if (given > 0) {
    return { horizon: given, replaceHorizon: given };
  }
  const quiet = mapOptional(lastScaleUp, (last) => Math.max(0, now - last) * QUIET) ?? age;
  return { horizon: age, replaceHorizon: durationMs(Math.min(age, quiet)) };
}

function changedLately({ drain, group }: TrialCandidate, { options, now }: Scenario): string | null {
  const after = groupOption(options, group, 'consolidateAfter');
  const last = Math.max(...drain.move.map(({ startedAt, createdAt }) => startedAt ?? createdAt ?? 0), 0);
  return last + after > now ? CONSOLIDATION_MESSAGES.changedLately((last + after - now) as DurationMs, after) : null;
}
