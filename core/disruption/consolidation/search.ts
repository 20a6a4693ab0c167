import { getExisting } from '../../model/values/existing.ts';
import { addCount } from '../../model/values/counts.ts';
import type { Node } from '../../model/cluster/node.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import { CPU, MEMORY } from '../../model/values/resources.ts';
import { byName, type GroupName, type NodeName } from '../../model/values/names.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { type DurationMs, durationMs } from '../../model/values/time.ts';
import { SCHEDULER_CHECKS_PER_MS } from '../../scheduling/budgeted-scheduler.ts';
import { sizeOf } from '../../scaledown/eligibility.ts';
import { CONSOLIDATION_MESSAGES } from '../../words/consolidation.ts';
import { NODE_MESSAGES } from '../../words/node-messages.ts';
import type { ProposalContext } from '../proposal-context.ts';
import type { MovesLeft } from '../cost-benefit/moves-left.ts';
import { isWorthDeleting, type NodeCostInput, maxCostOf } from '../cost-benefit/savings.ts';
import {
  candidateName,
  type Consolidable,
  type ConsolidableNodes,
  type ConsolidationContext,
  consolidationQueue,
} from './candidates.ts';
import { purchaseOptionOf, mayReplace } from './purchase-option.ts';
import {
  type ConsolidationQuery,
  type SimulatedMove,
  type ConsolidationSimulator,
  MOST_NEW_NODES,
} from './consolidation-simulator.ts';

/** Nodes to remove together, and the outcome for their pods. */
export interface Consolidation extends NodeCostInput {
  readonly nodes: readonly Consolidable[];
  readonly outcome: Exclude<SimulatedMove, { readonly kind: 'none' }>;
  /** The most that the new nodes may cost together; 0 where none is launched. */
  readonly maxCost: number;
}

interface Consolidations {
  readonly found: readonly Consolidation[];
  /** Why others stay, in words. */
  readonly why: ReadonlyMap<NodeName, string>;
}

/** Number of nodes, those that cost most for each move, of which the search for several tries how many fewer new nodes replace. */
const MULTI_NODES = 100;

/** Number of groups for which it is made by themselves. */
const MULTI_GROUPS = 10;

/**
 * The share of its cost by which a node is too large rather than not full enough. Such a node is replaced before other
 * nodes are emptied onto it.
 */
const MUCH = 0.5;

/** Cluster Autoscaler's `--max-allocatable-difference-ratio` for similar node groups. */
const ROOM_TOLERANCE = 0.05;

/** The limits for the rest of this evaluation. */
interface RemainingLimits {
  nodes: number;
  /** Number of nodes of each group above its minimum. */
  readonly spare: Map<GroupName, number>;
  readonly moves: MovesLeft;
  readonly usedDestinations: Set<NodeInfo>;
}

/**
 * Looks for nodes that the cluster can do without: nodes whose pods have places on other nodes, several nodes that fewer
 * and cheaper new nodes replace, and single nodes that cheaper ones replace, one or several. Replacements with a large
 * saving come before removals that would fill up the replaced node, all other replacements after the removals. Each
 * search takes the earlier results into account.
 *
 * The search for several nodes follows Karpenter's binary search for the longest prefix, of nodes in the order of their
 * cost for each move: over all nodes of one purchase option, and over the nodes of each group.
 *
 * @param most number of nodes.
 */
export function searchConsolidations(
  context: ConsolidationContext,
  { nodes, order, why }: ConsolidableNodes,
  simulator: ConsolidationSimulator,
  most: number,
): Consolidations {
  const reasons = new Map(why);
  const left: RemainingLimits = {
    nodes: most,
    spare: sparesOf(context),
    moves: context.moves,
    usedDestinations: new Set(),
  };
  const budget = context.scenario.options.scaleDownSimulationTimeout * SCHEDULER_CHECKS_PER_MS;
  const overBudget = (): string | null => (simulator.schedulerChecks >= budget ? NODE_MESSAGES.timeUsedUp() : null);
  const found: Consolidation[] = [];
  const gone = new Set<Consolidable>();
  const note = (one: Consolidation): void => {
    found.push(one);
    one.nodes.forEach((node) => gone.add(node));
    settle(one, context, left);
  };
  const each = (take: (one: Consolidable) => Consolidation | string): void => {
    const queue = consolidationQueue(order, nodes);
    for (let one = queue.next(); one !== undefined; one = queue.next()) {
      if (!gone.has(one)) {
        const result = whyNot([one], left) ?? overBudget() ?? take(one);
        if (typeof result === 'string') {
          queue.stays(one);
          reasons.set(candidateName(one), result);
        } else {
          note(result);
        }
      }
    }
  };
  const together = (least: number): void => {
    if (overBudget() !== null) {
      return;
    }
    const open = nodes.filter((one) => one.replace && !gone.has(one));
    const best = several(open, simulator, left, least);
    if (best !== null) {
      note(best);
    }
  };
  together(MUCH);
  each((one) => {
    const result = deleteOne(one, simulator);
    return typeof result === 'string' && one.replace ? replaceOne(one, simulator, MUCH) : result;
  });
  together(0);
  each((one) => (one.replace ? replaceOne(one, simulator, 0) : CONSOLIDATION_MESSAGES.noPlace()));
  for (const one of gone) {
    reasons.delete(candidateName(one));
  }
  return { found, why: reasons };
}

/** Number of nodes of each group above its minimum, without the unneeded nodes. */
function sparesOf({ scenario, registry, unneeded }: ProposalContext): Map<GroupName, number> {
  const spare = new Map(scenario.nodeGroups.map((group) => [group.name, sizeOf(group, registry) - group.minSize]));
  for (const { candidate } of unneeded) {
    addCount(spare, candidate.group.name, -1);
  }
  return spare;
}

/** Why these cannot go besides what was found before, in words. */
function whyNot(
  nodes: readonly Consolidable[],
  { nodes: most, spare, moves, usedDestinations }: RemainingLimits,
): string | null {
  if (nodes.length > most) {
    return CONSOLIDATION_MESSAGES.enough();
  }
  if (nodes.some(({ candidate: { info } }) => usedDestinations.has(info))) {
    return NODE_MESSAGES.takesPodsOfOthers();
  }
  for (const [group, own] of Map.groupBy(nodes, ({ candidate }) => candidate.group)) {
    if (own.length > getExisting(spare, group.name)) {
      return CONSOLIDATION_MESSAGES.atMinimum(group.minSize);
    }
  }
  return moves.blockedBy(nodes.flatMap(({ candidate }) => candidate.drain.move));
}

function settle({ nodes, outcome }: Consolidation, { cluster, pdbs }: ProposalContext, left: RemainingLimits): void {
  left.nodes -= nodes.length;
  for (const { candidate } of nodes) {
    addCount(left.spare, candidate.group.name, -1);
    left.moves.countMoved(candidate.drain.move);
    pdbs.take(candidate.drain.move);
  }
  for (const { node } of outcome.destinations) {
    const info = cluster.snapshot.byName(node);
    if (info !== undefined) {
      left.usedDestinations.add(info);
    }
  }
}

/** Removes a node without launching another one. */
function deleteOne(one: Consolidable, simulator: ConsolidationSimulator): Consolidation | string {
  if (!isWorthDeleting(one)) {
    return CONSOLIDATION_MESSAGES.doesNotPay();
  }
  return takeWith(one, simulator, askFor([one], { replace: false, maxCost: 0 }), 0);
}

/** @param least the share of its cost that the replacement must save, if the options do not ask for more. */
function replaceOne(one: Consolidable, simulator: ConsolidationSimulator, least: number): Consolidation | string {
  const result = replaceBy(one, simulator, least, 'any');
  if (typeof result === 'string' && one.horizon > one.replaceHorizon) {
    return replaceBy(one, simulator, least, 'as large');
  }
  return result;
}

/** @param size of the replacement: the saving of one that is as large as the node lasts for longer. */
function replaceBy(
  one: Consolidable,
  simulator: ConsolidationSimulator,
  least: number,
  size: 'any' | 'as large',
): Consolidation | string {
  const terms = size === 'any' ? toReplace(one) : one;
  const maxCost = maxCostOf(terms, Math.max(least, one.minSaving));
  if (maxCost <= 0) {
    return CONSOLIDATION_MESSAGES.doesNotPay();
  }
  const { suits, ...asked } = askFor([one], { replace: true, maxCost });
  const ask = {
    ...asked,
    suits: (group: NodeGroup) => suits(group) && (size === 'any' || hasRoomOf(one.candidate.node, group)),
  };
  if (!simulator.hasOfferBelow(ask)) {
    return CONSOLIDATION_MESSAGES.noCheaper();
  }
  return takeWith(one, simulator, ask, maxCostOf(terms, one.minSaving));
}

function takeWith(
  one: Consolidable,
  simulator: ConsolidationSimulator,
  ask: ConsolidationQuery,
  maxCost: number,
): Consolidation | string {
  const outcome = simulator.apply([one.candidate], ask);
  if (outcome.kind === 'none') {
    return outcome.short ?? (one.replace ? CONSOLIDATION_MESSAGES.noCheaper() : CONSOLIDATION_MESSAGES.noPlace());
  }
  return consolidationOf([one], outcome, maxCost);
}

/**
 * Has one new node as much room as this node? Then no pods that come later take the saving back: whatever they need, they need beside
 * either node. The tolerance is that of similar node groups.
 */
function hasRoomOf({ allocatable }: Node, { template }: NodeGroup): boolean {
  const offered = template?.node.allocatable;
  return [CPU, MEMORY].every(
    (resource) => (offered?.[resource] ?? 0) >= (allocatable[resource] ?? 0) * (1 - ROOM_TOLERANCE),
  );
}

const askFor = (
  nodes: readonly Consolidable[],
  { replace, maxCost }: Pick<ConsolidationQuery, 'replace' | 'maxCost'>,
): ConsolidationQuery & Required<Pick<ConsolidationQuery, 'suits'>> => ({
  replace,
  maxCost,
  // Several nodes go together only for fewer new ones: otherwise each of the old nodes is replaced by itself.
  mostNodes: nodes.length > 1 ? nodes.length - 1 : MOST_NEW_NODES,
  suits: (group) => {
    const by = group.template?.node;
    const groups = new Set(nodes.map(({ candidate }) => candidate.group));
    if (groups.has(group)) {
      // No node like one of several replaces them: it could have taken the pods of the others.
      return nodes.length === 1;
    }
    return by !== undefined && nodes.every(({ candidate }) => mayReplace(candidate.node, candidate.group, by, group));
  },
});

function consolidationOf(
  nodes: readonly Consolidable[],
  outcome: Consolidation['outcome'],
  maxCost: number,
): Consolidation {
  return { ...togetherOf(nodes), nodes, outcome, maxCost: outcome.kind === 'replace' ? maxCost : 0 };
}

/** The terms for judging a replacement. */
const toReplace = (given: NodeCostInput & Pick<Consolidable, 'replaceHorizon'>): NodeCostInput => ({
  ...given,
  horizon: given.replaceHorizon,
});

const togetherOf = (
  nodes: readonly Consolidable[],
): NodeCostInput & Pick<Consolidable, 'minSaving' | 'replaceHorizon'> => ({
  cost: nodes.reduce((sum, { cost }) => sum + cost, 0),
  moves: nodes.reduce((sum, { moves }) => sum + moves, 0),
  horizon: shortest(nodes.map(({ horizon }) => horizon)),
  replaceHorizon: shortest(nodes.map(({ replaceHorizon }) => replaceHorizon)),
  minSaving: Math.max(...nodes.map(({ minSaving }) => minSaving)),
});

const shortest = (times: readonly DurationMs[]): DurationMs => durationMs(Math.min(...times));

/**
 * Takes the several nodes by whose replacement most is saved.
 *
 * @param least the share of their cost that it must save, if the options do not ask for more.
 */
function several(
  nodes: readonly Consolidable[],
  simulator: ConsolidationSimulator,
  left: RemainingLimits,
  least: number,
): Consolidation | null {
  const alike = Map.groupBy(nodes, ({ candidate }) => purchaseOptionOf(candidate.node, candidate.group));
  const byGroup = Map.groupBy(nodes, ({ candidate }) => candidate.group.name);
  const sets = [...entriesByName(alike), ...entriesByName(byGroup).slice(0, MULTI_GROUPS)].filter(
    (set) => set.length > 1,
  );
  let best: Consolidation | null = null;
  for (const set of sets) {
    const one = longestPrefix(set.slice(0, Math.min(MULTI_NODES, left.nodes)), simulator, left, least);
    if (one !== null && (best === null || savingOf(one) > savingOf(best))) {
      best = one;
    }
  }
  if (best === null) {
    return null;
  }
  const outcome = simulator.apply(
    candidatesOf(best.nodes),
    askFor(best.nodes, { replace: true, maxCost: best.maxCost }),
  );
  return outcome.kind === 'none' ? null : consolidationOf(best.nodes, outcome, best.maxCost);
}

const entriesByName = <T>(groups: ReadonlyMap<string, T>): readonly T[] =>
  [...groups].sort(([a], [b]) => byName(a, b)).map(([, value]) => value);

const candidatesOf = (nodes: readonly Consolidable[]) => nodes.map(({ candidate }) => candidate);

/** The saving per hour. */
export const savingOf = ({ cost, outcome }: Pick<Consolidation, 'cost' | 'outcome'>): number =>
  outcome.kind === 'replace' ? cost - outcome.cost : cost;

/** As many nodes, from the first one on and at least two, as fewer new nodes replace. */
function longestPrefix(
  nodes: readonly Consolidable[],
  simulator: ConsolidationSimulator,
  left: RemainingLimits,
  least: number,
): Consolidation | null {
  // All of the nodes first: all of them may save enough to pay for the new node where one does not.
  let best = nodes.length < 2 ? null : tryTogether(nodes, simulator, left, least);
  let low = best === null ? 2 : nodes.length;
  let high = nodes.length - 1;
  while (low <= high) {
    const length = (low + high) >> 1;
    const one = tryTogether(nodes.slice(0, length), simulator, left, least);
    if (one === null) {
      high = length - 1;
    } else {
      best = one;
      low = length + 1;
    }
  }
  return best;
}

function tryTogether(
  nodes: readonly Consolidable[],
  simulator: ConsolidationSimulator,
  left: RemainingLimits,
  least: number,
): Consolidation | null {
  const together = togetherOf(nodes);
  const maxCost = maxCostOf(toReplace(together), Math.max(least, together.minSaving));
  if (maxCost <= 0 || whyNot(nodes, left) !== null) {
    return null;
  }
  const outcome = simulator.simulate(candidatesOf(nodes), askFor(nodes, { replace: true, maxCost }));
  // A node without need of a new one is removed by itself.
  return outcome.kind === 'replace' ? consolidationOf(nodes, outcome, maxCost) : null;
}
