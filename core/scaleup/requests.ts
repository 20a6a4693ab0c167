import { present } from '../model/values/present.ts';
import { firstItem } from '../model/values/existing.ts';
import type { Consideration, Increase, PodReason, ProvisioningReport } from '../model/decision.ts';
import { BEST_EFFORT_ATOMIC } from '../model/cluster/provisioning-request.ts';
import type { GroupName, NodeName } from '../model/values/names.ts';
import { type Demand, demandRows, podCount } from '../estimator/demand.ts';
import { type Placement, placeOnSnapshot } from '../estimator/placing.ts';
import type { OpenRequest } from '../headroom/requests/requests.ts';
import { requestedPodCount } from '../headroom/requests/requested-pods.ts';
import { besides, increasesTo, type PlanInput } from './orchestrator/plan-input.ts';
import { planScaleUp } from './orchestrator/plan-scale-up.ts';
import { refusalOf } from './pods/refusal.ts';
import { ownerText, type HeldPlace, countOnUpcomingNodes } from '../headroom/held.ts';
import type { State } from '../model/state.ts';
import { packExistingNodes, type PlacementInput } from './reservations/pack-existing-nodes.ts';
import { type PodsByGroup, reservationsOf } from './reservations/reservations.ts';
import type { RequestedPods } from '../headroom/quota-ledger.ts';

/** The answers to requests in this evaluation. */
export interface Answers {
  readonly reports: readonly ProvisioningReport[];
  /** Places on existing, upcoming and added nodes. */
  readonly placements: readonly Placement[];
  /** Sizes of groups that grow for requests, on top of the plan for pods. */
  readonly increases: readonly Increase[];
  readonly considered: readonly Consideration[];
}

interface AnswersInput {
  /** With the pods and the new nodes of the plan on its snapshot, and the sizes that groups have before it. */
  readonly plan: PlanInput;
  /** The increases of that plan. */
  readonly increases: readonly Increase[];
  /** The capacity that is held, by request. */
  readonly booked: BookedFits;
}

/** The result of looking for capacity for one request. */
interface Trial {
  readonly report: ProvisioningReport;
  /** Places on existing, upcoming and added nodes. */
  readonly placements: readonly Placement[];
  readonly considered: readonly Consideration[];
}

/**
 * Looks for capacity for each request, one after another: all of its pods get a place, or none does. Nodes are added only
 * for requests of `best-effort-atomic-scale-up`, by a plan beside the plans before. Capacity that is found stays on the
 * snapshot, with its nodes.
 */
export function answerRequests(open: readonly OpenRequest[], input: AnswersInput): Answers {
  const { plan, booked, increases } = input;
  const sizes = new Map(increases.map(({ group, to }) => [group, to]));
  const trials = new Map<OpenRequest, Trial>();
  for (const one of open) {
    if (one.step.kind === 'try') {
      trials.set(one, tryOne(one, one.step.sets, input, sizes));
    }
  }
  const tried = [...trials.values()];
  return {
    reports: open.map((one) => trials.get(one)?.report ?? reportOfStep(one, booked)),
    placements: tried.flatMap(({ placements }) => placements),
    considered: tried.flatMap(({ considered }) => considered),
    increases: increasesTo(plan, ({ name, targetSize }) => sizes.get(name) ?? targetSize),
  };
}

function reportOfStep({ name, request, wanted, step }: OpenRequest, booked: BookedFits): ProvisioningReport {
  const about = { name, class: request.className, wanted };
  switch (step.kind) {
    case 'end':
      return {
        ...about,
        outcome: step.outcome,
        fits: 0,
        triggered: 0,
        ...present({ message: step.message }),
      };
    case 'book': {
      const { fits, upcoming } = booked.get(name) ?? { fits: 0, upcoming: 0 };
      const wanted = requestedPodCount(step.sets);
      return { ...about, outcome: 'Booked', wanted, fits, upcoming: upcoming || undefined, triggered: 0 };
    }
    case 'refuse':
      return { ...about, outcome: 'CapacityIsNotFound', fits: 0, triggered: 0, message: step.message };
    case 'wait':
      return { ...about, outcome: 'Waiting', fits: 0, triggered: 0, until: step.until ?? undefined };
    case 'try':
      return { ...about, outcome: 'Waiting', fits: 0, triggered: 0 };
  }
}

/** @param sizes of the groups that grow, which the plan for the request raises. */
function tryOne(
  { name, request, wanted }: OpenRequest,
  sets: readonly RequestedPods[],
  input: AnswersInput,
  sizes: Map<GroupName, number>,
): Trial {
  const { scenario, registry, snapshot, scheduler } = input.plan;
  const about = { name, class: request.className, wanted };
  const demands = demandsFor(input.plan, sets);
  snapshot.fork();
  const placements: Placement[] = [];
  const left = placeOnSnapshot({ snapshot, scheduler, placements }, demands);
  const missing = podCount(left);
  const fits = wanted - missing;
  const notFound = (reasons: readonly PodReason[]): Trial => {
    snapshot.revert();
    const report = { ...about, outcome: 'CapacityIsNotFound' as const, fits, triggered: 0, reasons };
    return { report, placements: [], considered: [] };
  };
  if (missing === 0) {
    snapshot.commit();
    return { report: { ...about, outcome: 'CapacityIsFound', fits, triggered: 0 }, placements, considered: [] };
  }
  if (request.className !== BEST_EFFORT_ATOMIC) {
    return notFound([{ reason: `${missing} of ${wanted} pods have no room on existing nodes` }]);
  }
  const refusal = refusalOf(scenario, registry, snapshot, left);
  if (refusal !== null) {
    return notFound([{ reason: refusal.reason }]);
  }
  const plan = planScaleUp({ ...besides(input.plan, sizes), demands: left });
  if (plan.left.length > 0) {
    return notFound(firstItem(plan.left).reasons);
  }
  snapshot.commit();
  for (const { group, to } of plan.increases) {
    sizes.set(group, to);
  }
  return {
    report: { ...about, outcome: 'CapacityIsProvisioned', fits, triggered: missing },
    placements: [...placements, ...plan.placements],
    considered: plan.considered,
  };
}

/** The places of pods whose capacity is held, and how many pods of each request have one. */
export interface BookedCapacity {
  readonly placements: readonly Placement[];
  readonly places: readonly HeldPlace[];
  readonly fits: BookedFits;
}

/** Number of pods that have a place among those whose room is held, and on nodes on their way, by the name of the request. */
export type BookedFits = ReadonlyMap<string, { readonly fits: number; readonly upcoming: number }>;

/** The input for placing booked pods: without their demands, and the reservations of these. */
type BookedInput = Omit<PlacementInput, 'demands' | 'reservations' | 'contents'> & { readonly state: State };

const REQUEST = 'ProvisioningRequest' as const;

/**
 * Holds the capacity that requests were given, before any other pod is placed, as Cluster Autoscaler does. Booked pods
 * without a place cause no scale-up: the nodes added for them have not come, or other pods have taken the capacity.
 *
 * @param ready the existing nodes
 */
export function placeBooked(
  requests: readonly OpenRequest[],
  { state, ...given }: BookedInput,
  ready: ReadonlySet<NodeName>,
): BookedCapacity {
  const placements: Placement[] = [];
  const places: HeldPlace[] = [];
  for (const { name, step } of requests) {
    if (step.kind === 'book') {
      const demands = demandsFor(given, step.sets);
      const reservations = reservationsOf(state, given.snapshot, demands, NONE_THERE);
      const [{ fitted, changes }] = packExistingNodes({ ...given, demands, reservations, contents: new Map() });
      given.snapshot.redo(changes);
      const placed = fitted.placements;
      placements.push(...placed);
      places.push(...placed.map(({ info, count }) => ({ source: REQUEST, name, info, count })));
    }
  }
  return { placements, places, fits: fitsOf(places, ready) };
}

/** The pods of the sets as demands. */
export const demandsFor = (
  { snapshot }: Pick<PlacementInput, 'snapshot'>,
  sets: readonly RequestedPods[],
): readonly Demand[] =>
  demandRows(
    ...sets.map(({ pod, count }) => {
      const pods = Array.from({ length: count }, () => pod);
      return { pods, kinds: pods.map(() => snapshot.kindOf(pod)) };
    }),
  );

/** Requests are for pods that do not exist. */
const NONE_THERE: PodsByGroup = new Map();

function fitsOf(places: readonly HeldPlace[], ready: ReadonlySet<NodeName>): BookedFits {
  const coming = countOnUpcomingNodes(places, ready);
  return new Map(
    [...Map.groupBy(places, ({ name }) => name)].map(([name, own]) => [
      name,
      { fits: requestedPodCount(own), upcoming: coming.get(ownerText({ source: REQUEST, name })) ?? 0 },
    ]),
  );
}
