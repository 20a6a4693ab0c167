import type { DisruptionReport } from '../../model/disruption.ts';
import { groupOption } from '../../model/node-group.ts';
import type { NodeName } from '../../model/values/names.ts';
import type { Scenario } from '../../model/scenario.ts';
import { isShifting } from '../../nodegroups/zonal-shifts.ts';
import { rounded } from '../../model/values/rounded.ts';
import { sortedBy } from '../../model/values/sorted.ts';
import type { UnneededSearch } from '../../scaledown/disrupt.ts';
import type { RemovalCandidate } from '../../scaledown/unneeded.ts';
import { CONSOLIDATION_MESSAGES } from '../../words/consolidation.ts';
import { replacementDue } from '../deadline.ts';
import { workAtRisk } from '../worth/jobs.ts';
import { movesLeft } from '../worth/moves.ts';
import { consolidableNodes } from './candidates.ts';
import type { NodeCosts } from './node-costs.ts';
import { type Consolidation, savingOf, searchConsolidations } from './search.ts';
import type { ConsolidationSimulator } from './consolidation-simulator.ts';

/** The removals and commands that consolidation begins. */
export interface ConsolidationResult {
  /** Nodes whose pods have places on other nodes: they are removed now, as far as limits allow. */
  readonly nodes: readonly RemovalCandidate[];
  /** The reports on `nodes`, for when they are removed. */
  readonly reports: ReadonlyMap<NodeName, DisruptionReport>;
  /** Commands whose nodes wait for their replacement. */
  readonly commands: readonly DisruptionReport[];
  /** Why other nodes stay, in words. */
  readonly messages: ReadonlyMap<NodeName, string>;
}

export const NOT_CONSOLIDATED: ConsolidationResult = {
  nodes: [],
  reports: new Map(),
  commands: [],
  messages: new Map(),
};

/** Does any node group ask for consolidation? It is suspended while traffic is shifted away from a zone. */
export const consolidates = ({ nodeGroups, options }: Pick<Scenario, 'nodeGroups' | 'options'>): boolean =>
  !isShifting({ nodeGroups }) && nodeGroups.some((group) => groupOption(options, group, 'consolidation') !== 'off');

/**
 * Finds nodes whose pods fit elsewhere, and nodes that cheaper nodes can replace. Nothing is found while removals are
 * held back.
 *
 * @param room number of nodes that may go or begin to wait.
 */
export function consolidate(
  searched: UnneededSearch,
  whatIf: ConsolidationSimulator,
  costs: NodeCosts,
  room: number,
): ConsolidationResult {
  const { scenario, held } = searched;
  const { options, objects, state, now } = scenario;
  if (held !== null || !consolidates(scenario)) {
    return NOT_CONSOLIDATED;
  }
  const waiting = (state.disruptions ?? []).reduce(
    (sum, { reason, moves }) => sum + (reason === 'Underutilized' ? moves : 0),
    0,
  );
  const moves = movesLeft(objects.pods, state.consolidationMoves ?? [], options, waiting, now);
  const nodes = consolidableNodes(searched, costs, moves);
  const { found, why } = searchConsolidations(searched, nodes, whatIf, moves, room);
  const deletes = found.filter(({ outcome }) => outcome.kind === 'delete');
  return {
    nodes: deletes.flatMap((one) => unneededOf(one, searched)),
    reports: new Map(
      deletes.flatMap((one) =>
        one.nodes.map((node) => [
          node.candidate.node.name,
          reportOf({ ...one, ...node, nodes: [node] }, searched, costs, 'Ready'),
        ]),
      ),
    ),
    commands: found
      .filter(({ outcome }) => outcome.kind === 'replace')
      .map((one) => reportOf(one, searched, costs, 'Waiting')),
    messages: new Map([...why].map(([name, message]) => [name, CONSOLIDATION_MESSAGES.notConsolidated(message)])),
  };
}

const unneededOf = (
  { nodes, outcome }: Consolidation,
  { scenario, budgets }: UnneededSearch,
): readonly RemovalCandidate[] =>
  nodes.map(({ candidate }) => ({
    candidate,
    since: scenario.now,
    destinations: outcome.destinations,
    risky: !budgets.canTake(candidate.drain.move).inParallel,
    atOnce: 'Underutilized',
  }));

function reportOf(
  one: Consolidation,
  { scenario }: UnneededSearch,
  { basis }: NodeCosts,
  state: 'Ready' | 'Waiting',
): DisruptionReport {
  const { nodes, outcome, maxCost } = one;
  const pods = nodes.flatMap(({ candidate }) => candidate.drain.move);
  const atRisk = workAtRisk(pods, scenario.now);
  const replacement = outcome.kind === 'replace' ? outcome.group : null;
  const bought = scenario.nodeGroups.find(({ name }) => name === replacement);
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
    deadline: bought === undefined ? scenario.now : replacementDue(bought, scenario),
    state,
    workAtRisk: atRisk,
  };
}
