import type { Consideration, Increase, PodReason, ProvisioningReport } from '../../model/decision.ts';
import { BEST_EFFORT_ATOMIC } from '../../model/cluster/provisioning-request.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { type Demand, rowsOf } from '../../estimator/demand.ts';
import { NodeRow } from '../../estimator/node-row.ts';
import { firstFit, type Placement } from '../../estimator/placing.ts';
import type { OpenRequest } from '../../provisioning/requests.ts';
import { countOf, type RequestedPods } from '../../provisioning/requested-pods.ts';
import { besides, type PlanInput } from '../orchestrator/plan-input.ts';
import { planScaleUp } from '../orchestrator/salvo.ts';

/** What the requests are answered in this evaluation. */
export interface Answers {
  readonly reports: readonly ProvisioningReport[];
  /** Of nodes that are there or on their way, and of those that are added. */
  readonly placements: readonly Placement[];
  /** Sizes of groups that grow for requests, on top of the plan for pods. */
  readonly increases: readonly Increase[];
  readonly considered: readonly Consideration[];
}

export const NO_ANSWERS: Answers = Object.freeze({ reports: [], placements: [], increases: [], considered: [] });

export interface AnswersInput {
  /** With the pods and the new nodes of the plan on its snapshot, and the sizes that groups have before it. */
  readonly plan: PlanInput;
  /** The increases of that plan. */
  readonly increases: readonly Increase[];
  /** Nodes that only pods with a reservation may use. */
  readonly spare: ReadonlySet<NodeInfo>;
  /** Why no nodes are added for these pods; `null` where they are. */
  readonly refusalOf: (left: readonly Demand[]) => { readonly reason: string } | null;
}

/** What became of one request that room was looked for. */
interface Trial {
  readonly report: ProvisioningReport;
  readonly placements: readonly Placement[];
  readonly considered: readonly Consideration[];
}

/** The pods of the sets as demands. */
export const demandsFor = (
  { snapshot }: Pick<PlanInput, 'snapshot'>,
  sets: readonly RequestedPods[],
): readonly Demand[] =>
  rowsOf(
    ...sets.map(({ pod, count }) => {
      const pods = Array.from({ length: count }, () => pod);
      return { pods, kinds: pods.map(() => snapshot.kindOf(pod)) };
    }),
  );

/**
 * Looks for room for each request, one after another: all of its pods get a place, or none does. Only for those of
 * `best-effort-atomic-scale-up` nodes are added, by a plan of its own beside the ones before. What is found is on the
 * snapshot then, and its nodes stay.
 */
export function answerRequests(open: readonly OpenRequest[], input: AnswersInput, booked: BookedFits): Answers {
  const { nodeGroups } = input.plan.scenario;
  const sizes = new Map(input.increases.map(({ group, to }) => [group, to]));
  const trials: Trial[] = [];
  const reports = open.map((one): ProvisioningReport => {
    if (one.step.kind !== 'try') {
      return { ...reportOfStep(one, booked) };
    }
    const trial = tryOne(one, one.step.sets, input, sizes);
    trials.push(trial);
    return trial.report;
  });
  return {
    reports,
    placements: trials.flatMap(({ placements }) => placements),
    considered: trials.flatMap(({ considered }) => considered),
    increases: nodeGroups.flatMap(({ name, targetSize: from }) => {
      const to = sizes.get(name) ?? from;
      return to > from ? [{ group: name, from, to }] : [];
    }),
  };
}

/** Number of pods that have a place among those whose room is held, and on nodes on their way, by the name of the request. */
export type BookedFits = ReadonlyMap<string, { readonly fits: number; readonly upcoming: number }>;

function reportOfStep({ name, request, wanted, step }: OpenRequest, booked: BookedFits): ProvisioningReport {
  const about = { name, class: request.className, wanted };
  switch (step.kind) {
    case 'end':
      return {
        ...about,
        outcome: step.outcome,
        fits: 0,
        triggered: 0,
        ...(step.message !== null && { message: step.message }),
      };
    case 'book': {
      const { fits, upcoming } = booked.get(name) ?? { fits: 0, upcoming: 0 };
      const wanted = countOf(step.sets);
      return { ...about, outcome: 'Booked', wanted, fits, ...(upcoming > 0 && { upcoming }), triggered: 0 };
    }
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
  sizes: Map<GroupName, number>,
): Trial {
  const { snapshot, scheduler } = input.plan;
  const about = { name, class: request.className, wanted };
  snapshot.fork();
  const row = new NodeRow(snapshot.nodes.filter((info) => info !== null && !input.spare.has(info)));
  const placements: Placement[] = [];
  const left = demandsFor(input.plan, sets).flatMap(({ kind, pods }): readonly Demand[] => {
    const count = firstFit({ snapshot, scheduler, placements }, [row], { kind, count: pods.length });
    return count === pods.length ? [] : [{ kind, pods: pods.slice(count) }];
  });
  const missing = left.reduce((sum, { pods }) => sum + pods.length, 0);
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
    return notFound([{ reason: `${missing} of ${wanted} pods have no room on the nodes that are there` }]);
  }
  const refusal = input.refusalOf(left);
  if (refusal !== null) {
    return notFound([{ reason: refusal.reason }]);
  }
  const plan = planScaleUp({ ...besides(input.plan, sizes), demands: left });
  if (plan.left.length > 0) {
    return notFound(plan.left[0]!.reasons);
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
