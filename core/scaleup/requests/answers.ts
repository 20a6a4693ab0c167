import { present } from '../../model/values/present.ts';
import { firstItem, itemAt } from '../../model/values/existing.ts';
import type { Consideration, Increase, PodReason, ProvisioningReport } from '../../model/decision.ts';
import { BEST_EFFORT_ATOMIC } from '../../model/cluster/provisioning-request.ts';
import type { GroupName, NodeName } from '../../model/values/names.ts';
import { CPU, MEMORY } from '../../model/values/resources.ts';
import { CPU_INDEX, MEMORY_INDEX } from '../../model/snapshot/resource-table.ts';
import type { Demand } from '../../estimator/demand.ts';
import { NodeRow } from '../../estimator/node-row.ts';
import { firstFit, opensNodes, type Placement } from '../../estimator/placing.ts';
import type { OpenRequest } from '../../headroom/requests/requests.ts';
import { requestedPodCount, type RequestedPods } from '../../headroom/requests/requested-pods.ts';
import { besides, type PlanInput } from '../orchestrator/plan-input.ts';
import { planScaleUp } from '../orchestrator/salvo.ts';
import { type BookedCapacity, type BookedFits, bookedOf, type HeldRequest } from './booked.ts';
import { demandsFor } from './demands.ts';
import { makeRoom, type PlacedDemands, type TogetherInput } from './together.ts';

/** The answers to requests in this evaluation. */
export interface Answers {
  readonly reports: readonly ProvisioningReport[];
  /** Places on existing, upcoming and added nodes. */
  readonly placements: readonly Placement[];
  /** Sizes of groups that grow for requests, on top of the plan for pods. */
  readonly increases: readonly Increase[];
  readonly considered: readonly Consideration[];
  /** The new places of pods that made room for a request; `null`: all keep their places. */
  readonly moved: MovedPlacements | null;
}

/** The places of booked pods and of pending pods. */
export interface MovedPlacements {
  readonly booked: BookedCapacity;
  readonly pods: readonly Placement[];
}

export const NO_ANSWERS: Answers = Object.freeze({
  reports: [],
  placements: [],
  increases: [],
  considered: [],
  moved: null,
});

export interface AnswersInput {
  /** With the pods and the new nodes of the plan on its snapshot, and the sizes that groups have before it. */
  readonly plan: PlanInput;
  /** The increases of that plan. */
  readonly increases: readonly Increase[];
  readonly together: TogetherInput;
  /** The room that is held. */
  readonly booked: BookedCapacity;
  /** The pending pods, with their places on the nodes from before that plan. */
  readonly pods: PlacedDemands;
  /** The places of other pending pods, on that plan's new nodes. */
  readonly planned: readonly Placement[];
  /** Pending pods without a place on the new nodes either. */
  readonly unplaced: readonly Demand[];
  /** The existing nodes that take pods. */
  readonly ready: ReadonlySet<NodeName>;
  /** Why no nodes are added for these pods; `null` where they are. */
  readonly refusalOf: (left: readonly Demand[]) => { readonly reason: string } | null;
}

/** The result of looking for capacity for one request. */
interface Trial {
  readonly report: ProvisioningReport;
  /** Places on nodes that are added for the request. */
  readonly planned: readonly Placement[];
  readonly considered: readonly Consideration[];
}

/** The state of everything that has places on the snapshot, as one request after another is answered. */
interface Course {
  readonly sizes: Map<GroupName, number>;
  readonly trials: Map<OpenRequest, Trial>;
  booked: readonly HeldRequest[];
  pods: PlacedDemands;
  /** Requests that have been given capacity, with their places on nodes that are not added for them. */
  answered: readonly PlacedDemands[];
  isMoved: boolean;
}

/**
 * Looks for capacity for each request, one after another: all of its pods get a place, or none does. Where the pods do
 * not fit beside the placed ones, all of them are placed anew together, the largest first: small pods on a node would
 * keep large pods from it that have no other node. Nodes are added only for requests of `best-effort-atomic-scale-up`,
 * by a plan beside the plans before. Capacity that is found stays on the snapshot, with its nodes.
 */
export function answerRequests(open: readonly OpenRequest[], input: AnswersInput): Answers {
  const { plan, booked, pods, increases, ready } = input;
  const sizes = new Map(increases.map(({ group, to }) => [group, to]));
  const course: Course = { sizes, trials: new Map(), booked: booked.rooms, pods, answered: [], isMoved: false };
  for (const one of open) {
    if (one.step.kind === 'try') {
      course.trials.set(one, tryOne(one, one.step.sets, input, course));
    }
  }
  const after = course.isMoved ? bookedOf(course.booked, ready) : booked;
  const trials = [...course.trials.values()];
  return {
    reports: open.map((one) => course.trials.get(one)?.report ?? reportOfStep(one, after.fits)),
    placements: [
      ...course.answered.flatMap(({ placements }) => placements),
      ...trials.flatMap(({ planned }) => planned),
    ],
    considered: trials.flatMap(({ considered }) => considered),
    increases: plan.scenario.nodeGroups.flatMap(({ name, targetSize: from }) => {
      const to = sizes.get(name) ?? from;
      return to > from ? [{ group: name, from, to }] : [];
    }),
    moved: course.isMoved ? { booked: after, pods: course.pods.placements } : null,
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
      return { ...about, outcome: 'Booked', wanted, fits, ...(upcoming > 0 && { upcoming }), triggered: 0 };
    }
    case 'refuse':
      return { ...about, outcome: 'CapacityIsNotFound', fits: 0, triggered: 0, message: step.message };
    case 'wait':
    case 'try':
      return {
        ...about,
        outcome: 'Waiting',
        fits: 0,
        triggered: 0,
        ...(step.kind === 'wait' && step.until !== null && { until: step.until }),
      };
  }
}

function tryOne(
  { name, request, wanted }: OpenRequest,
  sets: readonly RequestedPods[],
  input: AnswersInput,
  course: Course,
): Trial {
  const { snapshot, scheduler } = input.plan;
  const about = { name, class: request.className, wanted };
  const demands = demandsFor(input.plan, sets);
  snapshot.fork();
  const row = new NodeRow(snapshot.nodes);
  const placements: Placement[] = [];
  const left = demands.flatMap(({ kind, pods }): readonly Demand[] => {
    const count = firstFit({ snapshot, scheduler, placements }, [row], { kind, count: pods.length });
    return count === pods.length ? [] : [{ kind, pods: pods.slice(count) }];
  });
  const missing = left.reduce((sum, { pods }) => sum + pods.length, 0);
  const fits = wanted - missing;
  const notFound = (reasons: readonly PodReason[]): Trial => {
    snapshot.revert();
    const report = { ...about, outcome: 'CapacityIsNotFound' as const, fits, triggered: 0, reasons };
    return { report, planned: [], considered: [] };
  };
  const found: Trial = {
    report: { ...about, outcome: 'CapacityIsFound', fits: wanted, triggered: 0 },
    planned: [],
    considered: [],
  };
  if (missing === 0) {
    snapshot.commit();
    course.answered = [...course.answered, { demands, placements }];
    return found;
  }
  const mayFit = hasRoomInAll(row, left);
  const changes = snapshot.revert();
  if (mayFit && isRoomMade(demands, input, course)) {
    return found;
  }
  snapshot.fork();
  snapshot.redo(changes);
  if (request.className !== BEST_EFFORT_ATOMIC) {
    return notFound([{ reason: `${missing} of ${wanted} pods have no room on the nodes that are there` }]);
  }
  const refusal = input.refusalOf(left);
  if (refusal !== null) {
    return notFound([{ reason: refusal.reason }]);
  }
  const plan = planScaleUp({ ...besides(input.plan, course.sizes), demands: left });
  if (plan.left.length > 0) {
    return notFound(firstItem(plan.left).reasons);
  }
  snapshot.commit();
  course.answered = [...course.answered, { demands, placements }];
  for (const { group, to } of plan.increases) {
    course.sizes.set(group, to);
  }
  return {
    report: { ...about, outcome: 'CapacityIsProvisioned', fits, triggered: missing },
    planned: plan.placements,
    considered: plan.considered,
  };
}

/** Would the pods fit if the free capacity of all nodes were in one place? If not, no other placement helps. */
const hasRoomInAll = ({ nodes }: NodeRow, demands: readonly Demand[]): boolean =>
  CPU_AND_MEMORY.every(([resource, index]) => {
    const free = nodes.reduce((sum, info) => sum + Math.max(0, itemAt(info.free, index)), 0);
    return demands.reduce((sum, { kind, pods }) => sum + pods.length * (kind.requests[resource] ?? 0), 0) <= free;
  });

const CPU_AND_MEMORY = [
  [CPU, CPU_INDEX],
  [MEMORY, MEMORY_INDEX],
] as const;

/** Makes room for these pods among all movable pods. Pods on nodes added for them are not moved. */
function isRoomMade(
  more: readonly Demand[],
  { planned, unplaced, together, ready }: AnswersInput,
  course: Course,
): boolean {
  const { booked, pods, answered, trials } = course;
  const staying = [...planned, ...[...trials.values()].flatMap((trial) => trial.planned)];
  if (staying.some(({ kind }) => opensNodes(kind))) {
    // These pods may have their places because of pods that would move.
    return false;
  }
  const places = makeRoom([...booked, pods, ...answered], { more, unplaced }, together, ready);
  if (places === null) {
    return false;
  }
  const [ofPods, ...ofRequests] = places.slice(booked.length);
  course.booked = booked.map((one, i) => ({ ...one, placements: itemAt(places, i) }));
  course.pods = { ...pods, placements: ofPods! };
  course.answered = [...answered.map(({ demands }) => demands), more].map((demands, i) => ({
    demands,
    placements: itemAt(ofRequests, i),
  }));
  course.isMoved = true;
  return true;
}
