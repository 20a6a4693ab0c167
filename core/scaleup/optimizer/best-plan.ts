import type { Increase, PlanReport, PredictedPlacement } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import { rounded } from '../../model/values/rounded.ts';
import type { Change, NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import type { Placement } from '../../estimator/placing.ts';
import type { PlacesMethod } from '../../estimator/packing-method.ts';
import { type Costs, costsOf } from '../../nodegroups/cost.ts';
import type { PlanInput } from '../orchestrator/plan-input.ts';
import type { Plan } from '../orchestrator/salvo.ts';
import { type ExtraNodesInput, predictedOutright, predictExtraNodes } from '../prediction/extra-nodes.ts';
import type { FitInput, Fitted } from '../reservations/fit-existing.ts';
import type { PlannedPlaces } from '../reservations/reserved-packing.ts';
import { type Proposal, type Proposals, propose } from './alternatives.ts';
import { addNodes, methodsThatComeTrue, type ToVerify } from './coming-true.ts';

export interface BestPlanInput {
  readonly plan: PlanInput;
  /** As pods were placed on existing and upcoming nodes; they are on the snapshot, in a fork. */
  readonly fit: Omit<FitInput, 'reservations'>;
  readonly fitted: Fitted;
  /** The upcoming nodes that are empty. */
  readonly upcoming: readonly NodeInfo[];
}

export interface BestPlan extends PlannedPlaces {
  /** With the nodes that are added beyond it among its increases. */
  readonly plan: Plan;
  readonly report: PlanReport;
  readonly predicted: PredictedPlacement | null;
}

/**
 * The cheapest of the plans that come true: the next evaluation must find a place for every pod that this one adds a
 * node for, by packing the pods that have reservations in each group onto its nodes (decision 1). Then the nodes that
 * kube-scheduler will need beyond it.
 *
 * The snapshot is left with the plan, its fork still open.
 */
export function bestPlan(input: BestPlanInput): BestPlan {
  const { plan, fit } = input;
  const costs = costsOf(plan.scenario.nodeGroups, plan.templates);
  const proposals = propose(plan, fit.demands, costs);
  return asItIs(input, proposals, costs) ?? verified(input, proposals, costs);
}

/** The usual plan, where no other is to be tried and nothing about it is in doubt; `null` where something is. */
function asItIs(input: BestPlanInput, proposals: Proposals, costs: Costs): BestPlan | null {
  const { usual } = proposals;
  if (usual.changes !== null || isInDoubt(input, proposals)) {
    return null;
  }
  const prediction = predictedOutright(extraNodesInput(input, usual, costs));
  if (prediction === null) {
    return null;
  }
  input.plan.snapshot.commit();
  return {
    plan: usual.plan,
    report: reportOf(usual, proposals, costs),
    predicted: prediction.predicted,
    methods: input.fit.methods,
    extra: [],
  };
}

/** The cheapest plan that comes true, else the usual one; with the extra nodes that are predicted for it. */
function verified(input: BestPlanInput, proposals: Proposals, costs: Costs): BestPlan {
  const { plan, fit } = input;
  const { snapshot } = plan;
  const { usual } = proposals;
  const usualChanges = usual.changes ?? snapshot.revert();
  // From here on the snapshot shows existing and upcoming nodes, without any pending pod.
  const found = snapshot.revert();
  const { chosen, methods } = choose(input, proposals);
  const { predicted, extra } = predictExtraNodes(extraNodesInput(input, chosen, costs));
  restore(snapshot, [found, chosen.changes ?? usualChanges]);
  addNodes(snapshot, plan.templates, 'extra', extra);
  return {
    plan: { ...chosen.plan, increases: withExtra(plan, chosen.plan.increases, extra) },
    report: reportOf(chosen, proposals, costs),
    predicted,
    methods: methods ?? fit.methods,
    extra,
  };
}

function restore(snapshot: Snapshot, changes: readonly (readonly Change[])[]): void {
  snapshot.fork();
  for (const some of changes) {
    snapshot.redo(some);
  }
}

/**
 * The cheapest proposal that comes true, and how its places are found again; `methods` is `null` where that is as
 * before.
 */
function choose(
  input: BestPlanInput,
  proposals: Proposals,
): { readonly chosen: Proposal; readonly methods: ReadonlyMap<GroupName, PlacesMethod> | null } {
  for (const proposal of proposals.cheaper) {
    const methods = methodsThatComeTrue(toVerify(input, proposal), false);
    if (methods !== null) {
      return { chosen: proposal, methods };
    }
  }
  const { usual } = proposals;
  return {
    chosen: usual,
    methods: isInDoubt(input, proposals) ? methodsThatComeTrue(toVerify(input, usual), true) : null,
  };
}

/**
 * May the next evaluation pack the usual plan in another way? Pods that come one after another may fill gaps that
 * packing all of them at once fills otherwise; so may a plan of several choices, or nodes that were not filled in the
 * usual order. Where it took too many scheduler checks to look for other plans, it takes too many to verify this one.
 */
const isInDoubt = ({ plan, fitted }: BestPlanInput, { usual, bound }: Proposals): boolean =>
  bound !== null && (hasReservations(plan) || fitted.scarceFirst || usual.plan.considered.length > 1);

const hasReservations = ({ scenario }: PlanInput): boolean => Object.keys(scenario.state.reservations).length > 0;

/** All places that pods found or get. */
const placementsOf = ({ fitted }: BestPlanInput, { plan }: Proposal): readonly Placement[] => [
  ...fitted.placements,
  ...plan.placements,
];

const toVerify = (input: BestPlanInput, proposal: Proposal): ToVerify => ({
  fit: input.fit,
  proposal,
  placements: placementsOf(input, proposal),
  hasReservations: hasReservations(input.plan),
});

const extraNodesInput = (input: BestPlanInput, chosen: Proposal, costs: Costs): ExtraNodesInput => ({
  plan: input.plan,
  costs,
  upcoming: input.upcoming,
  spare: input.fit.spare,
  increases: chosen.plan.increases,
  placements: placementsOf(input, chosen),
  demands: input.fit.demands,
});

const reportOf = (chosen: Proposal, { usual, bound, tried }: Proposals, { basis }: Costs): PlanReport => ({
  cost: rounded(chosen.cost),
  firstFitCost: rounded(usual.cost),
  bound: bound === null ? null : rounded(bound),
  basis,
  method: chosen.name,
  tried,
});

/** The increases of a plan with the nodes that are added beyond it. */
function withExtra(
  { scenario }: PlanInput,
  increases: readonly Increase[],
  extra: readonly GroupName[],
): readonly Increase[] {
  if (extra.length === 0) {
    return increases;
  }
  const planned = new Map(increases.map((increase) => [increase.group, increase]));
  return scenario.nodeGroups.flatMap(({ name, targetSize }) => {
    const from = planned.get(name)?.from ?? targetSize;
    const to = (planned.get(name)?.to ?? targetSize) + extra.filter((group) => group === name).length;
    return to > from ? [{ group: name, from, to }] : [];
  });
}
