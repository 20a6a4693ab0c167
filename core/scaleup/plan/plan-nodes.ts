import { firstItem, itemAt } from '../../model/values/existing.ts';
import type { PlanReport } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { rounded } from '../../model/values/rounded.ts';
import { type Load, podsByKind } from '../../estimator/demand.ts';
import { opensNodes } from '../../estimator/placing.ts';
import { costOfIncreases, type Costs, costsOf, fractionalBound, type Offer } from '../../nodegroups/cost.ts';
import { planGangs } from '../orchestrator/gangs.ts';
import { Ledger } from '../orchestrator/ledger.ts';
import { isPassing, newNodeVerdict, onFreshNodes } from '../orchestrator/new-nodes.ts';
import type { PlanInput } from '../orchestrator/plan-input.ts';
import type { Plan } from '../orchestrator/salvo.ts';
import type { PlacementInput, ExistingPlacements } from '../reservations/place-on-existing-nodes.ts';
import type { NodeContents } from '../reservations/reservations.ts';
import { contentsToRemember } from '../reservations/found-again.ts';

export interface PlanNodesInput {
  readonly plan: PlanInput;
  /** As pods were placed on existing and upcoming nodes; they are on the snapshot, in a fork. */
  readonly fit: Omit<PlacementInput, 'reservations'>;
  readonly fitted: ExistingPlacements;
}

export interface PlannedNodes {
  readonly plan: Plan;
  readonly report: PlanReport;
  /** The pods that each node of a group is to hold, where packing would not find the places again. */
  readonly contents: NodeContents;
}

/** A plan, its costs, and a lower bound on the cost of any plan. */
interface Priced {
  readonly plan: Plan;
  readonly costs: Costs;
  /** USD per hour; `null` where the bound was not worked out. */
  readonly bound: number | null;
}

/**
 * Plans nodes for the pods that no existing or upcoming node takes, so that the next evaluation finds a place for each of
 * them again (decision 1).
 *
 * The snapshot is left with the plan, its fork still open.
 */
export function planNodes(input: PlanNodesInput): PlannedNodes {
  const { snapshot } = input.plan;
  const priced = pricedPlan(input);
  const { plan } = priced;
  const report = reportOf(priced);
  if (!mayPackOtherwise(input, priced)) {
    snapshot.commit();
    return { plan, report, contents: input.fit.contents };
  }
  const planned = snapshot.revert();
  // From here on the snapshot shows existing and upcoming nodes, without any pending pod.
  const found = snapshot.revert();
  const contents = contentsToRemember({
    fit: input.fit,
    increases: plan.increases,
    placements: [...input.fitted.placements, ...plan.placements],
    hasReservations: hasReservations(input.plan),
  });
  snapshot.fork();
  snapshot.redo(found);
  snapshot.redo(planned);
  return { plan, report, contents };
}

/** Larger plans have no bound, and are not verified: both would take too long. */
const MAX_SCHEDULER_CHECKS = 150_000;

/** The plan, on the snapshot in a fork of its own. */
function pricedPlan({ plan: input, fit }: PlanNodesInput): Priced {
  const { snapshot, scheduler, scenario } = input;
  const before = scheduler.schedulerChecks();
  snapshot.fork();
  const plan = planGangs(input, fit.demands);
  const spent = scheduler.schedulerChecks() - before;
  const costs = costsOf(scenario.nodeGroups, input.templates);
  const loads = [...podsByKind(plan.placements)].map(([kind, count]) => ({ kind, count }));
  const usable = scenario.nodeGroups.filter(({ name }) => input.templates.has(name));
  const isBounded = plan.increases.length > 0 && spent + loads.length * usable.length <= MAX_SCHEDULER_CHECKS;
  return { plan, costs, bound: isBounded ? boundOf(input, loads, costs) : null };
}

/**
 * Left out are pods that may fill existing nodes once new nodes open these, and pods that preempt daemons: neither need pay for the
 * room of a new node.
 */
function boundOf(input: PlanInput, loads: readonly Load[], costs: Costs): number {
  const ledger = new Ledger(input);
  const hasNodes = input.snapshot.nodeCount > 0;
  const paying = loads.filter(({ kind }) => !(hasNodes && opensNodes(kind)) && !input.scheduler.preempts(kind));
  const offers = input.scenario.nodeGroups
    .filter((group) => ledger.skipOf(group) === null)
    .map(({ name }) => ({ ...offerOf(input, ledger, name, paying), cost: costs.of(name) }));
  return fractionalBound(paying, offers);
}

/** A new node of a group, and which of the pods it would take. */
const offerOf = (input: PlanInput, ledger: Ledger, group: GroupName, loads: readonly Load[]): Omit<Offer, 'cost'> =>
  onFreshNodes(input, ledger, group, (nodes) => {
    const { names } = input.snapshot.resources;
    const holds = loads.filter(({ kind }) => {
      const no = newNodeVerdict(input.scheduler, kind, nodes);
      return no === null || isPassing(no);
    });
    return {
      free: Object.fromEntries([...firstItem(nodes).free].map((amount, i) => [itemAt(names, i), amount])),
      holds: new Set(holds.map(({ kind }) => kind)),
    };
  });

/**
 * May the next evaluation pack the plan in another way? Pods that come one after another may fill gaps that packing all of
 * them at once fills otherwise; so may a plan of several choices, one whose nodes were evened out over similar groups, or nodes that were not filled in the usual order.
 */
const mayPackOtherwise = ({ plan: input, fitted }: PlanNodesInput, { plan, bound }: Priced): boolean =>
  bound !== null && (hasReservations(input) || fitted.reordered || plan.isEvened || plan.considered.length > 1);

const hasReservations = ({ scenario }: PlanInput): boolean => Object.keys(scenario.state.reservations).length > 0;

const reportOf = ({ plan, costs, bound }: Priced): PlanReport => ({
  cost: rounded(costOfIncreases(plan.increases, costs)),
  bound: mapOptional(bound, rounded),
  basis: costs.basis,
});
