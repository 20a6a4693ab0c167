import { countBy } from '../../model/values/counts.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import { costsOf } from '../../nodegroups/cost.ts';
import type { Demand } from '../../estimator/demand.ts';
import { planGangs } from '../orchestrator/gangs.ts';
import type { PlanInput } from '../orchestrator/plan-input.ts';
import type { Plan } from '../orchestrator/salvo.ts';
import type { Way, Ways } from '../reservations/fit-existing.ts';
import { costOf, isCheaper, nodesAdded } from './alternatives.ts';

/**
 * Of the ways to use the nodes that are there or upcoming, the one beside which the fewest USD per hour of new nodes are needed. Pods
 * that come late may be large and those that have places small: giving all places out anew, the large ones first, may leave
 * out as much as before, but small pods, which fill new nodes better.
 *
 * What is spent on it is counted in scheduler checks, as for other plans (`packingImprovementBudget`).
 *
 * @param input its demands do not count: each way leaves its own. The snapshot shows no way, and is left so.
 * @param wanting everything that wants a node.
 */
export function cheapestWay(ways: Ways, input: PlanInput, wanting: readonly Demand[]): Way {
  const [least, ...others] = ways;
  const { packingImprovementRatio, packingImprovementBudget: budget } = input.scenario.options;
  const different = others.filter(({ fitted }, i) =>
    ways.slice(0, i + 1).every((way) => !leavesAlike(way, fitted.left)),
  );
  if (packingImprovementRatio === 0 || different.length === 0) {
    return least;
  }
  const { scheduler } = input;
  const before = scheduler.schedulerChecks();
  const usual = planBeside(least, input, wanting);
  const spent = scheduler.schedulerChecks() - before;
  if (nodesAdded(usual.plan) <= 1) {
    return least;
  }
  let best = usual;
  for (const way of different) {
    if (scheduler.schedulerChecks() - before + spent > budget) {
      break;
    }
    const other = planBeside(way, input, wanting);
    if (leavesNoMore(other.plan, usual.plan) && isCheaper(other, usual, input) && other.cost < best.cost) {
      best = other;
    }
  }
  return best.way;
}

/** Nodes for the pods that a way leaves out, and what they cost, USD per hour. */
function planBeside(
  way: Way,
  input: PlanInput,
  wanting: readonly Demand[],
): { readonly way: Way; readonly plan: Plan; readonly cost: number } {
  const { snapshot, scenario, templates } = input;
  snapshot.fork();
  snapshot.redo(way.changes);
  const plan = planGangs({ ...input, demands: way.fitted.left }, wanting);
  snapshot.revert();
  return { way, plan, cost: costOf(plan.increases, costsOf(scenario.nodeGroups, templates)) };
}

/** Does the way leave the same numbers of pods of each kind? */
const leavesAlike = ({ fitted: { left } }: Way, other: readonly Demand[]): boolean =>
  left.length === other.length &&
  left.every(({ kind, pods }, i) => other[i]!.kind === kind && other[i]!.pods.length === pods.length);

/** Pods of no kind are left without a node that the other plan adds one for. */
function leavesNoMore(plan: Plan, usual: Plan): boolean {
  const before = leftOf(usual);
  return [...leftOf(plan)].every(([kind, count]) => count <= (before.get(kind) ?? 0));
}

const leftOf = ({ left }: Plan): ReadonlyMap<PodKind, number> =>
  countBy(
    left,
    ({ kind }) => kind,
    ({ pods }) => pods.length,
  );
