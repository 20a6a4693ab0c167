import { getExisting } from '../../model/values/existing.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import type { Increase, PlanReport } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { rounded } from '../../model/values/rounded.ts';
import { type Demand, type Load, podsByKind } from '../../estimator/demand.ts';
import { opensNodes, type Placement } from '../../estimator/placing.ts';
import { costOfIncreases, type Costs, costsOf, fractionalBound } from '../../nodegroups/cost.ts';
import { planGangs } from '../orchestrator/gangs.ts';
import { Ledger } from '../orchestrator/ledger.ts';
import { addNode, isPassing, newNodeVerdicts } from '../orchestrator/new-nodes.ts';
import type { PlanInput } from '../orchestrator/plan-input.ts';
import type { Plan } from '../orchestrator/plan-scale-up.ts';
import {
  type PlacementInput,
  type ExistingPlacements,
  packExistingNodes,
} from '../reservations/pack-existing-nodes.ts';
import { type NodeContents, reservationsIn } from '../reservations/reservations.ts';

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
interface PricedPlan {
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
  const contents = contentsToRemember(input, plan);
  snapshot.fork();
  snapshot.redo(found);
  snapshot.redo(planned);
  return { plan, report, contents };
}

/** Larger plans have no bound, and are not verified: both would take too long. */
const MAX_SCHEDULER_CHECKS = 150_000;

/** The plan, on the snapshot in a fork of its own. */
function pricedPlan({ plan: input, fit }: PlanNodesInput): PricedPlan {
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
    .map(({ name }) => ({ ...offerOf(input, name, paying), cost: costs.of(name) }));
  return fractionalBound(paying, offers);
}

/** A new node of a group, and which of the pods it would take. */
function offerOf(input: PlanInput, group: GroupName, loads: readonly Load[]) {
  const kinds = loads.map(({ kind }) => kind);
  const verdicts = newNodeVerdicts(input, group, kinds);
  const isTaken = (i: number): boolean => mapOptional(verdicts[i], isPassing) ?? true;
  return { free: getExisting(input.templates, group).free, holds: new Set(kinds.filter((_, i) => isTaken(i))) };
}

/**
 * May the next evaluation pack the plan in another way? Pods that come one after another may fill gaps that packing all of
 * them at once fills otherwise; so may a plan of several choices, one whose nodes were evened out over similar groups, or nodes that were not filled in the usual order.
 */
const mayPackOtherwise = ({ plan: input, fitted }: PlanNodesInput, { plan, bound }: PricedPlan): boolean =>
  bound !== null && (hasReservations(input) || fitted.reordered || plan.isEvened || plan.considered.length > 1);

const hasReservations = ({ scenario }: PlanInput): boolean => Object.keys(scenario.state.reservations).length > 0;

/**
 * The contents that the next evaluation must know to find all places of a plan again: none where packing each group's
 * pods finds the places, else the pods of each node. Without them, 7 of 550 pairs of evaluations launched 24 nodes a
 * second time (decision 11).
 */
function contentsToRemember({ plan: input, fit, fitted }: PlanNodesInput, plan: Plan): NodeContents {
  const { increases } = plan;
  const placements = [...fitted.placements, ...plan.placements];
  // Groups that do not grow may have reservations as well.
  const groups = hasReservations(input)
    ? new Set(placements.flatMap(({ info }) => info.group ?? []))
    : new Set(increases.map(({ group }) => group));
  const others = [...fit.contents].filter(([group]) => !groups.has(group));
  const packed: NodeContents = new Map(others);
  if (isFoundAgain(input, { ...fit, contents: packed }, placements, increases)) {
    return packed;
  }
  const listed: NodeContents = new Map([
    ...others,
    ...[...groups].map((group) => [group, contentsOf(placements, group)] as const),
  ]);
  return isFoundAgain(input, { ...fit, contents: listed }, placements, increases) ? listed : fit.contents;
}

/** Does packing as the next evaluation will do it find places for all pods that have one now? */
function isFoundAgain(
  input: PlanInput,
  fit: PlanNodesInput['fit'],
  placements: readonly Placement[],
  increases: readonly Increase[],
): boolean {
  const { snapshot } = input;
  const placed = podsByKind(placements);
  const demands = fit.demands
    .map(({ kind, pods }): Demand => ({ kind, pods: pods.slice(0, placed.get(kind) ?? 0) }))
    .filter(({ pods }) => pods.length > 0);
  snapshot.fork();
  for (const { group, from, to } of increases) {
    for (let size = from; size < to; size++) {
      addNode(input, group);
    }
  }
  const [{ fitted }] = packExistingNodes({ ...fit, demands, reservations: reservationsIn(placements) });
  snapshot.revert();
  return fitted.left.length === 0 && !fitted.reservationsReleased;
}

/** The pending pods that each node of the group holds, in the order of the nodes. */
function contentsOf(placements: readonly Placement[], group: GroupName): readonly (readonly Load[])[] {
  const contents = new Map<NodeInfo, Load[]>();
  for (const { kind, info, count } of placements) {
    if (info.group === group) {
      contents.set(info, [...(contents.get(info) ?? []), { kind, count }]);
    }
  }
  return [...contents].sort(([a], [b]) => a.index - b.index).map(([, loads]) => loads);
}

const reportOf = ({ plan, costs, bound }: PricedPlan): PlanReport => ({
  cost: rounded(costOfIncreases(plan.increases, costs)),
  bound: mapOptional(bound, rounded),
  basis: costs.basis,
});
