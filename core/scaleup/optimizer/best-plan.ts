import type { Increase, PlanReport, PredictedPlacement } from '../../model/decision.ts';
import type { GroupName } from '../../model/names.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import { type Proposal, propose } from './alternatives.ts';
import { costsOf } from '../../nodegroups/cost.ts';
import type { Demand } from '../../estimator/demand.ts';
import { type FitInput, type Fitted, fitExisting } from '../reservations/fit-existing.ts';
import { predictExtraNodes, type ExtraNodesInput, predictedOutright } from '../prediction/extra-nodes.ts';
import { OTHER_METHODS, type PlacesMethod } from '../../estimator/packing-method.ts';
import type { Load } from '../../estimator/load.ts';
import type { Placement } from '../../estimator/placing.ts';
import type { Plan } from '../orchestrator/salvo.ts';
import type { PlanInput } from '../orchestrator/round.ts';
import { type BoughtPlaces, methodsOf } from '../reservations/reserved-packing.ts';
import { addTemplateNode, type GroupTemplate } from '../../nodegroups/node-templates.ts';

export interface BestPlanInput {
  readonly plan: Omit<PlanInput, 'variant'>;
  /** As pods were placed on the nodes that are there or on their way; they are on the snapshot, in a fork. */
  readonly fit: Omit<FitInput, 'reservations' | 'methods'>;
  readonly fitted: Fitted;
  /** The nodes on their way that are empty. */
  readonly upcoming: readonly NodeInfo[];
}

export interface BestPlan extends BoughtPlaces {
  /** With the nodes that were bought beyond it among its increases. */
  readonly plan: Plan;
  readonly report: PlanReport;
  readonly predicted: PredictedPlacement | null;
}

/**
 * The cheapest of the plans that come true: the next evaluation must find a place for every pod that this one bought
 * one for, by packing the pods that have reservations in each group onto its nodes (decision 1). Then the nodes that
 * kube-scheduler will need beyond it.
 *
 * The snapshot is left with the plan, its fork still open.
 */
export function bestPlan({ plan: input, fit, fitted, upcoming }: BestPlanInput): BestPlan {
  const { snapshot, scenario, templates } = input;
  const costs = costsOf(scenario.nodeGroups, templates);
  const { usual, cheaper, bound, tried } = propose(input, fit.demands, costs);
  const old = fitted.anew ? new Map<GroupName, PlacesMethod>() : methodsOf(scenario.state, snapshot, fit.demands);
  const report = (chosen: Proposal): PlanReport => ({
    cost: rounded(chosen.cost),
    firstFitCost: rounded(usual.cost),
    bound: bound === null ? null : rounded(bound),
    basis: costs.basis,
    method: chosen.name,
    tried,
  });
  const predictionInput = (chosen: Proposal): ExtraNodesInput => ({
    ...input,
    costs,
    upcoming,
    spare: fit.spare,
    increases: chosen.plan.increases,
    placements: [...fitted.placements, ...chosen.plan.placements],
    demands: fit.demands,
  });
  /** Pods that come one after another may fill gaps that packing all of them at once fills in another way. */
  const owing = Object.keys(scenario.state.reservations).length > 0;
  // So may a plan of several choices, or old nodes that were not filled in the usual order. Where it took too much to
  // look for others, it takes too much to make sure as well.
  const unsure = bound !== null && (owing || fitted.scarceFirst || usual.plan.considered.length > 1);
  if (usual.changes === null && !unsure) {
    const already = predictedOutright(predictionInput(usual));
    if (already !== null) {
      snapshot.commit();
      return { plan: usual.plan, report: report(usual), predicted: already.predicted, methods: old, extra: [] };
    }
  }
  const usualChanges = usual.changes ?? snapshot.revert();
  // From here on the snapshot shows what is there and on its way, without any pod that waits.
  const found = snapshot.revert();
  const foundAgain = (proposal: Proposal): ReadonlyMap<GroupName, PlacesMethod> | null => {
    const { increases, placements } = proposal.plan;
    const all = [...fitted.placements, ...placements];
    // Pods may have come to groups that do not grow, too.
    const groups = owing
      ? new Set(all.flatMap(({ info }) => info.group ?? []))
      : new Set(increases.map(({ group }) => group));
    const ways = new Set([
      proposal.method,
      ...[...groups].flatMap((group) => old.get(group)?.method ?? []),
      ...(proposal === usual ? OTHER_METHODS : []),
    ]);
    const tries: ((group: GroupName) => PlacesMethod)[] = [...ways].map((method) => () => ({ method, nodes: [] }));
    if (proposal === usual) {
      tries.push((group) => ({ method: proposal.method, nodes: contentsOf(all, group) }));
    }
    for (const places of tries) {
      const methods = new Map([...old, ...[...groups].map((group) => [group, places(group)] as const)]);
      if (comesTrue(fit, all, increases, methods)) {
        return methods;
      }
    }
    return null;
  };
  let chosen = usual;
  let methods: ReadonlyMap<GroupName, PlacesMethod> | null = null;
  for (const proposal of cheaper) {
    methods = foundAgain(proposal);
    if (methods !== null) {
      chosen = proposal;
      break;
    }
  }
  if (methods === null && unsure) {
    methods = foundAgain(usual);
  }
  const { predicted, extra } = predictExtraNodes(predictionInput(chosen));
  snapshot.fork();
  snapshot.redo(found);
  snapshot.redo(chosen.changes ?? usualChanges);
  addNodes(snapshot, templates, 'extra', extra);
  return {
    plan: { ...chosen.plan, increases: withExtra(input, chosen.plan.increases, extra) },
    report: report(chosen),
    predicted,
    methods: methods ?? old,
    extra,
  };
}

/** Far more digits than prices have. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Does packing as the next evaluation will do it find places for all pods that have one now? */
function comesTrue(
  fit: BestPlanInput['fit'],
  placements: readonly Placement[],
  increases: readonly Increase[],
  methods: ReadonlyMap<GroupName, PlacesMethod>,
): boolean {
  const { snapshot, templates } = fit;
  const reservations = new Map<GroupName, Map<PodKind, number>>();
  const placed = new Map<PodKind, number>();
  for (const { kind, info, count } of placements) {
    placed.set(kind, (placed.get(kind) ?? 0) + count);
    if (info.group !== null) {
      const reserved = reservations.get(info.group) ?? new Map<PodKind, number>();
      reservations.set(info.group, reserved.set(kind, (reserved.get(kind) ?? 0) + count));
    }
  }
  const demands = fit.demands
    .map(({ kind, pods }): Demand => ({ kind, pods: pods.slice(0, placed.get(kind) ?? 0) }))
    .filter(({ pods }) => pods.length > 0);
  snapshot.fork();
  addNodes(
    snapshot,
    templates,
    'promised',
    increases.flatMap(({ group, from, to }) => Array.from({ length: to - from }, () => group)),
  );
  const { left, anew } = fitExisting({ ...fit, demands, reservations, methods });
  snapshot.revert();
  return left.length === 0 && !anew;
}

/** What each node of the group holds of the pods that wait, in the order of the nodes. */
function contentsOf(placements: readonly Placement[], group: GroupName): readonly (readonly Load[])[] {
  const contents = new Map<NodeInfo, Load[]>();
  for (const { kind, info, count } of placements) {
    if (info.group === group) {
      contents.set(info, [...(contents.get(info) ?? []), { kind, count }]);
    }
  }
  return [...contents].sort(([a], [b]) => a.index - b.index).map(([, loads]) => loads);
}

/** Puts a new node into the snapshot for each mention of a group. */
function addNodes(
  snapshot: Snapshot,
  templates: ReadonlyMap<GroupName, GroupTemplate>,
  name: string,
  groups: readonly GroupName[],
): void {
  groups.forEach((group, i) => {
    const template = templates.get(group)!;
    addTemplateNode(
      snapshot,
      template,
      `${name}-${i}`,
      template.pods.map((pod) => snapshot.kindOf(pod)),
    );
  });
}

function withExtra(
  { scenario }: Omit<PlanInput, 'variant'>,
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
