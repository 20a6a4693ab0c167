import type { DisruptionReport } from '../../model/disruption.ts';
import { groupOption } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import { isShifting } from '../../nodegroups/zonal-shifts.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { rounded } from '../../model/values/rounded.ts';
import { sortedBy } from '../../model/values/sorted.ts';
import type { RemovalCandidate } from '../../scaledown/unneeded.ts';
import { CONSOLIDATION_MESSAGES } from '../../words/consolidation.ts';
import { replacementDue } from '../deadline.ts';
import { leavingNodesOf } from '../advance-disruptions.ts';
import {
  type DisruptionMethod,
  NO_PROPOSALS,
  type ProposalContext,
  type Proposals,
  type ProposalTools,
} from '../proposal-context.ts';
import { workAtRisk } from '../cost-benefit/work-at-risk.ts';
import { movesLeft } from '../cost-benefit/moves-left.ts';
import { consolidableNodes } from './candidates.ts';
import type { NodeCosts } from './node-costs.ts';
import { type Consolidation, savingOf, searchConsolidations } from './search.ts';

/** Removes and replaces nodes that cost more than they have to. */
export const CONSOLIDATION: DisruptionMethod = {
  isNeeded: ({ scenario }) => consolidates(scenario),
  propose: (context, tools) => withinNodeBudgets(consolidate(context, tools), context),
};

/** Does any node group ask for consolidation? It is suspended while traffic is shifted away from a zone. */
const consolidates = ({ nodeGroups, options }: Pick<Scenario, 'nodeGroups' | 'options'>): boolean =>
  !isShifting({ nodeGroups }) && nodeGroups.some((group) => groupOption(options, group, 'consolidation') !== 'off');

/**
 * Finds nodes whose pods fit elsewhere, and nodes that cheaper nodes can replace. Nothing is found while removals are
 * held back.
 */
function consolidate(context: ProposalContext, { simulator, costs, room }: ProposalTools): Proposals {
  const { scenario, hold } = context;
  const { state } = scenario;
  if (hold.whole !== null) {
    return NO_PROPOSALS;
  }
  const waiting = (state.disruptions ?? [])
    .filter(({ reason }) => reason === 'Underutilized')
    .reduce((sum, { moves }) => sum + moves, 0);
  const considered = { ...context, costs, moves: movesLeft(scenario, waiting) };
  const { found, why } = searchConsolidations(considered, consolidableNodes(considered), simulator, room);
  const deletes = found.filter(({ outcome }) => outcome.kind === 'delete');
  return {
    nodes: deletes.flatMap((one) => unneededOf(one, context)),
    reports: new Map(
      deletes.flatMap((one) =>
        one.nodes.map((node) => [
          node.candidate.node.name,
          reportOf({ ...one, ...node, nodes: [node] }, context, costs, 'Ready'),
        ]),
      ),
    ),
    disruptions: found
      .filter(({ outcome }) => outcome.kind === 'replace')
      .map((one) => reportOf(one, context, costs, 'Waiting')),
    messages: new Map([...why].map(([name, message]) => [name, CONSOLIDATION_MESSAGES.notConsolidated(message)])),
  };
}

/** The proposals without the disruptions for which the disruption budgets leave too little. */
function withinNodeBudgets(proposals: Proposals, { scenario, nodeBudgets }: ProposalContext): Proposals {
  const messages = new Map(proposals.messages);
  const disruptions = proposals.disruptions.filter((disruption) => {
    const hold = nodeBudgets.take(leavingNodesOf(disruption, scenario), disruption.reason);
    if (hold !== null) {
      disruption.nodes.forEach((node) => messages.set(node, hold.message));
    }
    return hold === null;
  });
  return { ...proposals, disruptions, messages };
}

const unneededOf = (
  { nodes, outcome }: Consolidation,
  { scenario, pdbs }: ProposalContext,
): readonly RemovalCandidate[] =>
  nodes.map(({ candidate }) => ({
    candidate,
    since: scenario.now,
    destinations: outcome.destinations,
    risky: !pdbs.canTake(candidate.drain.move).inParallel,
    reason: 'Underutilized',
  }));

function reportOf(
  one: Consolidation,
  { scenario }: ProposalContext,
  { basis }: NodeCosts,
  state: 'Ready' | 'Waiting',
): DisruptionReport {
  const { nodes, outcome, maxCost } = one;
  const pods = nodes.flatMap(({ candidate }) => candidate.drain.move);
  const replacement = outcome.kind === 'replace' ? outcome.group : null;
  const growing = scenario.nodeGroups.find(({ name }) => name === replacement);
  return {
    nodes: sortedBy(
      nodes.map(({ candidate }) => candidate.node.name),
      (name) => name,
    ),
    reason: 'Underutilized',
    replacement,
    maxCost: rounded(maxCost),
    basis,
    saving: rounded(savingOf(one)),
    moves: pods.length,
    since: scenario.now,
    deadline: mapOptional(growing, (group) => replacementDue(group, scenario)) ?? scenario.now,
    state,
    workAtRisk: workAtRisk(pods, scenario.now),
  };
}
