import { nonEmpty } from '../model/values/present.ts';
import type { Increase, Repair, ScaleUpDecision, ScaleUpResult, SkippedGroup } from '../model/decision.ts';
import type { GroupName } from '../model/values/names.ts';
import { addResources, NO_RESOURCES, type Resources } from '../model/values/resources.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedBy } from '../model/values/sorted.ts';
import type { State } from '../model/state.ts';
import { NO_TIME_LIMIT, type TimeLimit } from '../model/time-limit.ts';
import { registerScaleUp } from '../registry/scale-up-request.ts';
import type { Registry } from '../registry/registry.ts';
import type { SimulatedCluster } from '../scheduling/simulated-cluster.ts';
import { skippedDaemonSets } from '../nodegroups/daemon-room.ts';
import type { Demand } from '../estimator/demand.ts';
import type { Placement } from '../estimator/placing.ts';
import type { GroupTemplate } from '../nodegroups/node-templates.ts';
import { capacityHeldBy, countOnUpcomingNodes, placesOf } from '../headroom/held.ts';
import { headroomReports } from '../headroom/reports.ts';
import { increasesToMin } from './min-size.ts';
import { planInput, type PlanInput } from './orchestrator/plan-input.ts';
import type { Plan } from './orchestrator/plan-scale-up.ts';
import { deferredAmong, deferredIn, leftForTime } from './orchestrator/left-overs.ts';
import type { PodPlacements } from './pods/pods-without-ready-node.ts';
import { type PlannedNodes, planNodes, type PlanNodesInput } from './plan/plan-nodes.ts';
import { outcomesOf } from './pods/outcomes.ts';
import { rejectionsOf } from './pods/rejections.ts';
import { type Refusal, refusalOf } from './pods/refusal.ts';
import { simulate, type Simulation } from './pods/simulation.ts';
import { type Answers, answerRequests, type BookedCapacity, placeBooked } from './requests.ts';
import { cheapestPacking } from './plan/cheapest-packing.ts';
import { packExistingNodes, type ExistingPlacements } from './reservations/pack-existing-nodes.ts';
import {
  packingAfter,
  type PodsByGroup,
  podsThere,
  rememberedContents,
  reservationsOf,
  reservedBy,
} from './reservations/reservations.ts';

/** The decision about growth, and the cluster and the state after it. */
export interface ScaleUp {
  readonly scaleUp: ScaleUpDecision;
  /** Groups below their minimum are raised besides, whatever is pending. */
  readonly toMin: readonly Repair[];
  /** The cluster with these increases, for the scale-down to decide about. */
  readonly cluster: SimulatedCluster;
  readonly state: State;
  readonly placed: PodPlacements & {
    readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
    /** Capacity that is held for ProvisioningRequests. */
    readonly booked: readonly Placement[];
  };
}

/**
 * Decides which groups grow, and the state to remember: pending pods take the places that are reserved for them and
 * free places; the orchestrator plans nodes for the rest.
 *
 * @param scenario with its lists in order (`model/ordered.ts`).
 * @param scaleUpOnly no scale-down is decided about the cluster that results; it may then lack the pods on nodes.
 * @param limit when it is up, the pods that were not considered are left to the next evaluation.
 */
export function decideScaleUp(
  scenario: Scenario,
  registry: Registry,
  scaleUpOnly = false,
  limit: TimeLimit = NO_TIME_LIMIT,
): ScaleUp {
  const cluster = simulate(scenario, registry, scaleUpOnly, limit);
  const { snapshot, scheduler, templates, requests, ready, demands } = cluster;
  const there = podsThere(snapshot, demands);
  const given = { state: scenario.state, snapshot, scheduler, templates, reference: typicalNode(templates) };
  const booked = placeBooked(requests, given, ready);
  const plan = planInput(scenario, registry, cluster);
  snapshot.fork();
  const existing = placeOnExisting(plan, cluster, there);
  const refusal = refusalOf(scenario, registry, snapshot, existing.fitted.left);
  const planned = refusal === null ? plannedFor(plan, existing) : null;
  snapshot.commit();
  const increases = planned?.plan.increases ?? [];
  const answers = answerRequests(requests, { plan, increases, booked: booked.fits });
  return outcome(scenario, registry, cluster, { existing, there, refusal, planned, booked, answers });
}

/** Pods on existing and upcoming nodes, and how they were placed there. */
type ExistingPacking = Pick<PlanNodesInput, 'fit' | 'fitted'>;

/** Places pods on existing and upcoming nodes: first pods with reservations, where their places are. */
function placeOnExisting(plan: PlanInput, cluster: Simulation, there: PodsByGroup): ExistingPacking {
  const { scenario, registry } = plan;
  const { state } = scenario;
  const { snapshot, scheduler, templates, demands } = cluster;
  const fit = {
    snapshot,
    scheduler,
    demands,
    templates,
    reference: typicalNode(templates),
    contents: rememberedContents(state, snapshot, demands),
    first: deferredAmong(demands, state).map(({ kind }) => kind),
  };
  const packings = packExistingNodes({ ...fit, reservations: reservationsOf(state, snapshot, demands, there) });
  const [least] = packings;
  const { left } = least.fitted;
  const mayGrow = left.length > 0 && refusalOf(scenario, registry, snapshot, left) === null;
  const { fitted, changes } = mayGrow ? cheapestPacking(packings, plan, demands) : least;
  snapshot.redo(changes);
  return { fit: fitted.reservationsReleased ? { ...fit, contents: new Map() } : fit, fitted };
}

/** Plans nodes for the pods that are left; `null` where there are none. */
function plannedFor(plan: PlanInput, existing: ExistingPacking): PlannedNodes | null {
  const untried = new Set(existing.fitted.untried);
  const demands = existing.fitted.left.filter(({ kind }) => !untried.has(kind));
  if (demands.length === 0) {
    return null;
  }
  return planNodes({ ...existing, plan: { ...plan, demands } });
}

const NO_PLAN: Plan = { increases: [], skipped: [], considered: [], placements: [], left: [], isEvened: false };

/** The parts of the decision. */
interface DecisionParts {
  readonly existing: ExistingPacking;
  /** The pods that were on nodes before any found a place. */
  readonly there: PodsByGroup;
  readonly refusal: Refusal | null;
  readonly planned: PlannedNodes | null;
  readonly booked: BookedCapacity;
  readonly answers: Answers;
}

/** The decision, and the state after it. */
function outcome(
  scenario: Scenario,
  registry: Registry,
  { snapshot, scheduler, objects, templates, upcoming, pending, demands, wanted, ready }: Simulation,
  { existing: { fit, fitted }, there, refusal, planned, booked, answers }: DecisionParts,
): ScaleUp {
  const plan = withUntried(planned?.plan ?? NO_PLAN, fitted);
  const { increases } = answers;
  const placements = [...fitted.placements, ...plan.placements];
  const leftOut = skippedDaemonSets(templates.values());
  const places = placesOf(wanted, demands, fitted.placements);
  const coming = countOnUpcomingNodes(places, ready);
  const headroom = headroomReports(wanted, fitted.left, planned === null ? null : plan.left, coming);
  const toMin = increasesToMin(scenario, registry, { snapshot, templates }, increases);
  const pods = outcomesOf(pending, { demands, left: fitted.left }, plan, refusal);
  const rejections = rejectionsOf(pods, { left: plan.left, skipped: plan.skipped, templates, objects });
  return {
    scaleUp: {
      result: resultOf(increases, refusal, fitted.left),
      increases,
      pods,
      ...nonEmpty({ rejections }),
      upcoming,
      skippedGroups: withSkipped(plan.skipped, toMin.skipped),
      ...nonEmpty({ headroom, provisioningRequests: answers.reports, skippedDaemonSets: leftOut }),
      considered: [...plan.considered, ...answers.considered],
      plan: plan.increases.length === 0 ? null : (planned?.report ?? null),
    },
    toMin: toMin.raised,
    cluster: { snapshot, scheduler, objects, held: capacityHeldBy([...booked.places, ...places]) },
    placed: {
      templates,
      demands,
      placements,
      booked: [...booked.placements, ...answers.placements],
      unplaced: fitted.left,
      ready,
    },
    state: {
      ...registerScaleUp(scenario, registry.state, [...increases, ...toMin.raised]),
      reservations: reservedBy(snapshot, [...booked.placements, ...placements, ...answers.placements], there),
      deferredPods: deferredIn(plan.left, pending.pods),
      reservedPacking: packingAfter(planned?.contents ?? fit.contents, snapshot, placements),
    },
  };
}

/** A plan that says of pods which were not considered for want of time that the next evaluation considers them. */
function withUntried(plan: Plan, { left, untried }: ExistingPlacements): Plan {
  const kinds = new Set(untried);
  return { ...plan, left: [...plan.left, ...leftForTime(left.filter(({ kind }) => kinds.has(kind)))] };
}

function resultOf(increases: readonly Increase[], refusal: Refusal | null, left: readonly Demand[]): ScaleUpResult {
  if (increases.length > 0) {
    return 'ScaledUp';
  }
  return refusal?.result ?? (left.length > 0 ? 'NoOptions' : 'NotNeeded');
}

/** Keeps an entry for each group: the reason not to grow comes before the reason to stay below the minimum. */
function withSkipped(skipped: readonly SkippedGroup[], more: readonly SkippedGroup[]): readonly SkippedGroup[] {
  const known = new Set(skipped.map(({ group }) => group));
  return sortedBy([...skipped, ...more.filter(({ group }) => !known.has(group))], ({ group }) => group);
}

/** The resources that a pod's size is measured against where no particular group is in question. */
const typicalNode = (templates: ReadonlyMap<GroupName, GroupTemplate>): Resources =>
  [...templates.values()].reduce((sum, { node }) => addResources(sum, node.allocatable), NO_RESOURCES);
