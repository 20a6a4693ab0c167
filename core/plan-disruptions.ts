import { describeError } from './model/fault.ts';
import { disruptionName } from './model/disruption.ts';
import type { UnexpectedError } from './model/decision.ts';
import type { Scenario } from './model/scenario.ts';
import { costsOf } from './nodegroups/cost.ts';
import { groupTemplates } from './nodegroups/node-templates.ts';
import { DISRUPTION_MESSAGES } from './words/disruption.ts';
import { isAllCapacityHeld, ownerWithLessCapacity } from './disruption/held-capacity.ts';
import {
  type CostLimit,
  costBeside,
  type DeferredDisruption,
  growingOnly,
  merged,
  needsNoIncrease,
  reasonToDefer,
  podsOf,
  replacementsOf,
  sharedCostLimit,
  withoutDelay,
  withoutMoving,
} from './disruption/purchase.ts';
import { podsWithoutPlace, type StoredDisruptions } from './disruption/advance-disruptions.ts';
import { byAge, type WaitingDisruption, waitingIn, withWaiting } from './disruption/waiting.ts';
import {
  buildClusterState,
  simulateScaleUp,
  type PlanRequest,
  type ScaleUpPlan,
  type UnknownClusterState,
} from './simulate-scale-up.ts';
import { podsWithoutReadyNode } from './scaleup/pods/pods-without-ready-node.ts';
import { mapOptional } from './model/values/optional.ts';

/** A scale-up for pending pods, and for the pods of disruptions that it makes room for. */
export interface DisruptionPlan {
  readonly plan: ScaleUpPlan;
  readonly accepted: readonly WaitingDisruption[];
  /** Why other disruptions are deferred, by their names. */
  readonly deferred: ReadonlyMap<string, DeferredDisruption>;
  /** The plan for pending pods alone; `null` where nothing had to be compared with it. */
  readonly workload: ScaleUpPlan | null;
}

/** Disruptions that a plan makes room for. */
interface AcceptedDisruptions {
  readonly disruptions: readonly WaitingDisruption[];
  readonly plan: ScaleUpPlan;
  /** The cost of the nodes launched for the disruptions, per hour. */
  readonly cost: number;
}

/** The result of planning for some disruptions: the accepted disruptions, or why they are deferred. */
interface Attempt {
  readonly result: AcceptedDisruptions | DeferredDisruption;
  /** The plan for pending pods alone; `null` where it was not needed. */
  readonly workload: ScaleUpPlan | null;
  readonly faults: readonly UnexpectedError[];
}

const FAILED: DeferredDisruption = Object.freeze({
  why: 'ScaleUpFailed',
  message: DISRUPTION_MESSAGES.scaleUpFailed(),
});

/**
 * Plans a scale-up for pending pods and for the pods of nodes that are removed once these pods have places elsewhere.
 * Pending pods come first: disruptions for which too much would be launched, or a pod would stay pending, are deferred to
 * another evaluation.
 *
 * All disruptions are planned together, which takes one plan where nothing is launched, else two or three. Only if this
 * plan is refused, each disruption is planned once more.
 */
export function planDisruptions(request: PlanRequest): DisruptionPlan | UnknownClusterState {
  const all = waitingIn(request.scenario);
  const together = all.length === 0 ? null : attempt(request, all, sharedCostLimit(all), null);
  if (together !== null && !('why' in together.result)) {
    return { plan: together.result.plan, accepted: all, deferred: new Map(), workload: together.workload };
  }
  const workload = together?.workload ?? planWorkload(request);
  if (workload.registry === null) {
    return workload;
  }
  const deferred = new Map<string, DeferredDisruption>();
  const faults = [...(together?.faults ?? [])];
  let best: AcceptedDisruptions = { disruptions: [], plan: workload, cost: 0 };
  for (const one of all) {
    const limit = { spent: best.cost, most: one.disruption.maxCost };
    const isTried = together !== null && all.length === 1;
    const more = isTried ? together : attempt(request, [...best.disruptions, one], limit, workload);
    if (!isTried) {
      faults.push(...more.faults);
    }
    if ('why' in more.result) {
      deferred.set(disruptionName(one.disruption), more.result);
    } else {
      best = more.result;
    }
  }
  const plan = { ...best.plan, errors: [...best.plan.errors, ...faults] };
  return { plan, accepted: best.disruptions, deferred, workload };
}

/** Plans for pending pods alone. */
function planWorkload(request: PlanRequest): ScaleUpPlan | UnknownClusterState {
  const cluster = buildClusterState(withWaiting(request.scenario, []));
  if (cluster.registry === null) {
    return cluster;
  }
  return simulateScaleUp(cluster, request);
}

/** @param workload the plan for pending pods alone, if it was made. */
function attempt(
  request: PlanRequest,
  disruptions: readonly WaitingDisruption[],
  limit: CostLimit,
  workload: ScaleUpPlan | null,
): Attempt {
  try {
    return planBeside(request, disruptions, limit, workload);
  } catch (error) {
    return { result: FAILED, workload, faults: [{ during: 'ScaleUp', ...describeError(error) }] };
  }
}

function planBeside(
  request: PlanRequest,
  disruptions: readonly WaitingDisruption[],
  limit: CostLimit,
  known: ScaleUpPlan | null,
): Attempt {
  const { scenario } = request;
  const own = withWaiting(scenario, disruptions);
  const moving = podsOf(disruptions, scenario);
  const replacements = replacementsOf(disruptions, own);
  const cluster = buildClusterState(own);
  if (cluster.registry === null) {
    return { result: FAILED, workload: known, faults: [] };
  }
  let plan = simulateScaleUp(cluster, request, growingOnly(own, replacements));
  // Increases for disruptions begin no delay: `withoutDelay` needs the state without disruptions.
  if (plan.simulated !== null && plan.toMin.length === 0 && needsNoIncrease(plan.scaleUp, moving)) {
    const scaleUp = withoutMoving(plan.scaleUp, moving);
    return { result: { disruptions, plan: { ...plan, scaleUp }, cost: 0 }, workload: known, faults: [] };
  }
  const workload = known ?? planWorkload(request);
  if (workload.registry === null || workload.simulated === null) {
    return { result: FAILED, workload: workload.registry === null ? null : workload, faults: [] };
  }
  const needed = workload.scaleUp.increases.map(({ group }) => group);
  if (needed.some((group) => !replacements.has(group))) {
    plan = simulateScaleUp(cluster, request, growingOnly(own, new Set([...replacements, ...needed])));
  }
  if (plan.simulated === null) {
    return { result: FAILED, workload, faults: [] };
  }
  const plans = { withCommands: plan.scaleUp, withoutCommands: workload.scaleUp };
  const costs = costsOf(own.nodeGroups, groupTemplates(own));
  const result = reasonToDefer(plans, disruptions, costs, limit) ?? {
    disruptions,
    plan: { ...plan, scaleUp: merged(plans, moving), state: withoutDelay(plan.state, workload.state) },
    cost: costBeside(plans, costs),
  };
  return { result, workload, faults: [] };
}

/**
 * The capacity that accepted disruptions wait for. Without such disruptions nothing is computed.
 *
 * @param rest the scenario without what failed.
 */
export function disruptionReadiness(
  planned: DisruptionPlan,
  request: PlanRequest,
  rest: Scenario,
): Pick<StoredDisruptions, 'podsWithoutReadyNode' | 'capacityConflicts'> {
  const { plan } = planned;
  const accepted = planned.accepted.toSorted((a, b) => byAge(a.disruption, b.disruption));
  if (accepted.length === 0 || plan.simulated === null) {
    return { podsWithoutReadyNode: new Set(), capacityConflicts: new Map() };
  }
  const pods = accepted.map((one) => podsOf([one], plan.scenario));
  const without = podsWithoutReadyNode(plan.simulated.placed, pods);
  const isAnyServed = accepted.some(({ disruption }) => podsWithoutPlace(disruption, without, rest) === 0);
  // Takes a plan for each disruption, and matters only once all pods of a disruption have their places.
  const capacityConflicts = isAnyServed ? conflictsOf({ ...planned, accepted }, request) : new Map<string, string>();
  return { podsWithoutReadyNode: without, capacityConflicts };
}

/**
 * Why disruptions would take held capacity on existing nodes, in words, by the names of the disruptions. The oldest disruption
 * comes first: each takes from the capacity left by earlier ones.
 *
 * @param planned with its accepted disruptions in the order of their age.
 */
function conflictsOf(planned: DisruptionPlan, request: PlanRequest): ReadonlyMap<string, string> {
  const { plan, accepted } = planned;
  const conflicts = new Map<string, string>();
  const workload = isAllCapacityHeld(plan.scaleUp, 'existing') ? null : (planned.workload ?? planWorkload(request));
  if (workload === null || workload.registry === null || conflictBetween(plan, workload) === null) {
    return conflicts;
  }
  let before: readonly WaitingDisruption[] = [];
  for (const one of accepted) {
    const some = [...before, one];
    const more =
      some.length === accepted.length ? { plan } : attempt(request, some, sharedCostLimit(some), workload).result;
    const why = 'why' in more ? more.message : conflictBetween(more.plan, workload);
    if (why === null) {
      before = some;
    } else {
      conflicts.set(disruptionName(one.disruption), why);
    }
  }
  return conflicts;
}

/** Why a plan takes held capacity that the plan for pending pods alone leaves, in words; `null` where it takes none. */
const conflictBetween = (plan: ScaleUpPlan, workload: ScaleUpPlan): string | null =>
  mapOptional(ownerWithLessCapacity(plan.scaleUp, workload.scaleUp, 'existing'), DISRUPTION_MESSAGES.roomNotReady);
