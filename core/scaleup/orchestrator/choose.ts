import { about } from '../../model/fault.ts';
import type { Consideration, ConsideredOption, Increase } from '../../model/decision.ts';
import { byName, type GroupName } from '../../model/names.ts';
import { schedulerChecksIn } from '../../model/scheduler-checks.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { createBalancer } from '../../nodegroups/balancing.ts';
import { type Candidate, candidatesOf, partOf, totalRequests } from './expansion-options.ts';
import type { Demand } from '../../estimator/demand.ts';
import { estimate, type Estimate } from '../../estimator/estimator.ts';
import type { Chooser } from '../expanders/chooser.ts';
import { wasteOf } from '../expanders/least-waste.ts';
import type { Option } from '../expanders/option.ts';
import { inOrder } from '../../estimator/packing-method.ts';
import type { Placement } from '../../estimator/placing.ts';
import { addNode, nodesLeft, type Round, tryNode } from './round.ts';
import { createScratchEstimates } from './scratch-estimates.ts';
import { countedShapes, shapesOf } from '../../nodegroups/node-templates.ts';
// For its effect: code stays optimised from one evaluation to the next.
import '../../estimator/kept-estimate.ts';

export interface Expansion {
  readonly consideration: Consideration;
  /** The new ones. */
  readonly nodes: readonly NodeInfo[];
  readonly placements: readonly Placement[];
  /** Groups that might have helped and were not looked at, since `maxBinpackingTime` was used up. */
  readonly unseen: readonly GroupName[];
}

/** Estimates below this many nodes are made in full, so that their figures can be shown. */
const WORTH_STOPPING = 50;

/**
 * One choice among the groups that would help; `null` when none does. The new nodes and their pods are then in the
 * snapshot, and the sizes of the round are raised.
 */
export function chooseExpansion(round: Round, demands: readonly Demand[], random: () => number): Expansion | null {
  const { snapshot, chooser } = round;
  const { stopRule } = chooser;
  const candidates = candidatesOf(round, demands);
  const options: Option[] = [];
  const scratch = createScratchEstimates(round);
  let best = Number.POSITIVE_INFINITY;
  const enough = round.scheduler.schedulerChecks() + schedulerChecksIn(round.scenario.options.maxBinpackingTime);
  const unseen: GroupName[] = [];
  const favourites = new Set<NodeGroup>();
  for (const candidate of candidates) {
    if (options.length > 0 && round.scheduler.schedulerChecks() >= enough) {
      unseen.push(...candidate.proposers.map(({ name }) => name));
      continue;
    }
    const part = partOf(candidate, 0);
    const hopeless = (nodes: number): boolean =>
      stopRule !== null && nodes > WORTH_STOPPING && stopRule.bound({ ...part, nodes }) > best;
    const preferred = preferredOf(round, candidate, random);
    favourites.add(preferred);
    const result = scratch.show(candidate, () => estimateFor(round, candidate, preferred, hopeless));
    const option = optionOf(candidate, result);
    if (option !== null) {
      const proposed = candidate.proposers.map((group) => proposedBy(round, candidate, group, option));
      options.push(...proposed);
      if (stopRule !== null && !result.cutShort) {
        const score = Math.min(...proposed.map(stopRule.score));
        if (score < best) {
          best = score;
          scratch.keep();
        }
      }
    }
  }
  if (options.length === 0) {
    scratch.clear();
    return null;
  }
  options.sort((a, b) => byName(a.group.name, b.group.name));
  const choice = chooser.choose(options, random);
  const chosen = candidates.find(({ proposers }) => proposers.includes(choice.winner.group))!;
  // Of groups that share their nodes and are equal, the one that the nodes were shared out for.
  const winner =
    choice.equals.find(({ group }) => favourites.has(group) && chosen.proposers.includes(group)) ?? choice.winner;
  const { nodes, placements } = favourites.has(winner.group)
    ? scratch.settle(chosen, () => estimateFor(round, chosen, winner.group))
    : scratch.show(chosen, () => estimateFor(round, chosen, winner.group));
  snapshot.commit();
  return {
    consideration: {
      options: options.map((option) => describe(option, chooser)),
      winner: winner.group.name,
      why: choice.why,
      split: grow(round, nodes),
    },
    nodes,
    placements,
    unseen,
  };
}

const others = ({ members }: Candidate, group: NodeGroup): readonly NodeGroup[] =>
  members.filter((member) => member !== group);

function describe(option: Option, { figures }: Chooser): ConsideredOption {
  const { group, nodes, pods, waste, similar, cutShort } = option;
  return {
    group: group.name,
    nodes,
    pods,
    waste: Math.round(waste * 1e6) / 1e6,
    similarGroups: similar.map(({ name }) => name),
    ...(cutShort ? { cutShort } : {}),
    ...figures(option),
  };
}

/** The group of a candidate that the expanders prefer: where nodes are shared out over equal sizes, it comes first. */
function preferredOf(round: Round, candidate: Candidate, random: () => number): NodeGroup {
  const { proposers, template, demands, requested } = candidate;
  if (proposers.length === 1) {
    return proposers[0]!;
  }
  const pods = demands.reduce((sum, demand) => sum + demand.pods.length, 0);
  const alike = { group: proposers[0]!, nodes: 1, pods, waste: 0, cutShort: false, node: template.node, requested };
  return round.chooser.preferred(
    proposers.map((group) => proposedBy(round, candidate, group, alike)),
    random,
  );
}

/** The option of one of the groups that propose it: similar groups may differ a little in what a node has. */
function proposedBy(
  { templates }: Round,
  candidate: Candidate,
  group: NodeGroup,
  option: Omit<Option, 'similar'>,
): Option {
  const { node } = templates.get(group.name)!;
  return {
    ...option,
    group,
    node,
    waste: wasteOf(option.requested, node.capacity, option.nodes),
    similar: others(candidate, group),
  };
}

function estimateFor(
  round: Round,
  candidate: Candidate,
  preferred: NodeGroup,
  stop?: (nodes: number) => boolean,
): Estimate {
  return about({ kind: 'group', group: candidate.members[0]!.name }, () =>
    estimateNodes(round, candidate, preferred, stop),
  );
}

function estimateNodes(
  round: Round,
  candidate: Candidate,
  preferred: NodeGroup,
  stop?: (nodes: number) => boolean,
): Estimate {
  const { snapshot, scheduler, templates, sizes, scenario, variant } = round;
  const { members, template, demands } = candidate;
  const balancer = createBalancer(
    members.map(({ name, maxSize }) => ({ name, size: sizes.get(name)!, max: maxSize })),
    preferred.name,
  );
  // Groups that share nodes are similar, not the same: each node counts for what it is.
  const limits = round.limits.copy();
  const counted = new Map(members.map(({ name }) => [name, countedShapes(templates.get(name)!)]));
  let allowed = nodesLeft(round);
  // One node at least, so that every decision helps somebody.
  let mayStop = false;
  const enough = round.scheduler.schedulerChecks() + schedulerChecksIn(scenario.options.maxNodegroupBinpackingDuration);
  const offerNode = (use: (info: NodeInfo) => boolean): boolean => {
    const tried: GroupName[] = [];
    if (mayStop && round.scheduler.schedulerChecks() >= enough) {
      return false;
    }
    for (;;) {
      const group = allowed > 0 ? balancer.smallest(tried) : null;
      if (group === null) {
        return false;
      }
      if (limits.room(counted.get(group)!) > 0 && tryNode(round, group, use)) {
        balancer.take(group);
        limits.add(counted.get(group)!);
        mayStop = true;
        allowed -= 1;
        return true;
      }
      tried.push(group);
    }
  };
  const result = estimate({
    snapshot,
    scheduler,
    loads: inOrder(demands, template.node.allocatable, variant.method).map(({ kind, pods }) => ({
      kind,
      count: pods.length,
    })),
    offerNode,
    fit: variant.method.fit,
    ...(stop === undefined ? {} : { stop }),
  });
  return candidate.allOrNothing && result.nodes.length > 0 ? atMaximum(round, candidate, result) : result;
}

/** An all-or-nothing group grows to its maximum, however few of its nodes are needed. */
function atMaximum(round: Round, { members }: Candidate, result: Estimate): Estimate {
  const [{ name, maxSize }] = members as [NodeGroup];
  const nodes = [...result.nodes];
  while (round.sizes.get(name)! + nodes.length < maxSize) {
    nodes.push(addNode(round, name));
  }
  return { ...result, nodes };
}

function optionOf(
  { template, members, requested }: Candidate,
  { nodes, placements, cutShort }: Estimate,
): Omit<Option, 'similar'> | null {
  if (nodes.length === 0) {
    return null;
  }
  // Pods that found a place on nodes that were there already use nothing of the new ones.
  const fresh = new Set(nodes);
  const total = cutShort ? requested : totalRequests(placements.filter(({ info }) => fresh.has(info)));
  return {
    group: members[0]!,
    nodes: nodes.length,
    pods: placements.reduce((sum, { count }) => sum + count, 0),
    waste: wasteOf(total, template.node.capacity, nodes.length),
    cutShort,
    node: template.node,
    requested: total,
  };
}

/** Raises the groups of the new nodes, and says by how much. */
function grow({ sizes, limits, templates }: Round, nodes: readonly NodeInfo[]): readonly Increase[] {
  const added = new Map<GroupName, number>();
  for (const info of nodes) {
    added.set(info.group!, (added.get(info.group!) ?? 0) + 1);
    limits.add(shapesOf(info, templates));
  }
  return [...added]
    .sort(([a], [b]) => byName(a, b))
    .map(([group, count]) => {
      const from = sizes.get(group)!;
      sizes.set(group, from + count);
      return { group, from, to: from + count };
    });
}
