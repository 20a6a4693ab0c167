import { nonEmpty } from './model/values/present.ts';
import type {
  NodeUtilization,
  ScaleDownDecision,
  ScaleUpDecision,
  UnexpectedError,
  Unremovable,
} from './model/decision.ts';
import { waitingNodes } from './model/disruption.ts';
import { byName, type NodeName } from './model/values/names.ts';
import type { Scenario } from './model/scenario.ts';
import { sortedBy, sortedRecord } from './model/values/sorted.ts';
import type { State } from './model/state.ts';
import { advanceDisruptions, type StoredDisruptions } from './disruption/advance-disruptions.ts';
import { type DisruptionOutcome, disruptionOutcome } from './disruption/disruption-outcome.ts';
import type { Proposals } from './disruption/proposal-context.ts';
import { proposeDisruptions } from './disruption/propose-disruptions.ts';
import { withMoves } from './disruption/cost-benefit/moves-left.ts';
import type { Registry } from './registry/registry.ts';
import { applyLimits, type LimitedRemovals } from './scaledown/apply-limits.ts';
import { findRemovals, type RemovalFindings } from './scaledown/find-removals.ts';
import { type RemovalContext, removalContext, removalHold } from './scaledown/removal-context.ts';
import { toRemoval, unremovableUntil, withRemovals } from './scaledown/removal-state.ts';
import { withLearned } from './scaledown/unneeded-time.ts';
import type { RemovalCandidate } from './scaledown/unneeded.ts';
import type { SimulatedCluster } from './scheduling/simulated-cluster.ts';
import { presentItems } from './model/values/optional.ts';
import { withoutRemovals } from './fallback-results.ts';

interface RemovalInput {
  /** With its lists in order (`model/ordered.ts`). */
  readonly scenario: Scenario;
  readonly registry: Registry;
  /** The decision of scale-up, the cluster with its increases, and the state after it. */
  readonly scaleUp: Pick<ScaleUpDecision, 'result'>;
  readonly cluster: SimulatedCluster;
  readonly state: State;
  readonly disruptions: StoredDisruptions;
}

/** The removals of an evaluation, and the state after it. */
interface NodeRemovals {
  readonly scaleDown: ScaleDownDecision;
  readonly state: State;
  /** Drain rules that threw. */
  readonly faults: readonly UnexpectedError[];
}

/**
 * Decides which nodes are unneeded, which needed nodes are disrupted, and which of them to remove now.
 *
 * Pending pods and removals share one simulated cluster: it has the upcoming nodes with their pods, and the pending
 * pods that find a place on existing nodes. A node with such pods stays. Pods of removed nodes may move only to
 * existing nodes, as in Cluster Autoscaler: an upcoming node may never come.
 *
 * Follows Cluster Autoscaler's scaledown/planner. The snapshot is left with the unneeded nodes gone.
 */
export function decideRemovals(input: RemovalInput): NodeRemovals {
  const { scenario, registry, scaleUp, cluster, state, disruptions } = input;
  if (!scenario.options.scaleDownEnabled) {
    const { disruptions: _, ...rest } = state;
    return {
      faults: [],
      scaleDown: withoutRemovals('Disabled'),
      state: { ...rest, unneededSince: {}, unremovableUntil: {} },
    };
  }
  if (!registry.report.clusterHealthy) {
    return { faults: [], scaleDown: withoutRemovals('ClusterUnhealthy'), state: { ...state, unneededSince: {} } };
  }
  const hold = removalHold(scenario, scaleUp, state);
  const context = removalContext({ scenario, registry, cluster, hold }, waitingNodes(state));
  const found = findRemovals(context);
  const progress = advanceDisruptions(context, disruptions);
  const proposals = proposeDisruptions(context, found, progress);
  const ready = progress.filter((one) => one.state === 'Ready').flatMap(({ nodes }) => nodes);
  const candidates = [...found.unneeded, ...ready, ...proposals.nodes];
  const limited = applyLimits(context, candidates);
  const removed = new Set(limited.removed.map(({ candidate: { node } }) => node.name));
  const outcome = disruptionOutcome(scenario, progress, proposals, removed);
  return decide(context, state, { found, candidates, proposals, limited, outcome });
}

/** The results of the steps. */
interface StepResults {
  readonly found: RemovalFindings;
  readonly candidates: readonly RemovalCandidate[];
  readonly proposals: Proposals;
  readonly limited: LimitedRemovals;
  readonly outcome: DisruptionOutcome;
}

/** The decision and the next state of the steps' results. */
function decide({ scenario, hold, nodeBudgets }: RemovalContext, before: State, results: StepResults): NodeRemovals {
  const { found, candidates, proposals, limited, outcome } = results;
  const { unremovable, ineligible, unneeded } = found;
  const removals = sortedBy(limited.removed.map(toRemoval), ({ node }) => node);
  // A node that is to go for another reason than that it is not needed has one row, too.
  const reported = new Set([...removals, ...limited.kept].map(({ node }) => node));
  const stay = [...[...ineligible, ...unremovable].filter(({ node }) => !reported.has(node)), ...limited.kept];
  const { retryAt, waiting, reports } = outcome;
  const { disruptions: _, ...others } = before;
  const state: State = {
    ...others,
    unneededSince: sortedRecord(candidates.map(({ candidate: { node }, since }) => [node.name, since] as const)),
    unremovableUntil: unremovableUntil(scenario, unremovable, retryAt),
    ...withRemovals(before, removals, scenario.now),
    ...withLearned(scenario, removals),
    ...nonEmpty({ disruptions: waiting }),
  };
  const moved = limited.removed.filter(({ reason }) => reason === 'Underutilized');
  return {
    faults: found.faults,
    scaleDown: {
      result: resultOf(limited, hold.whole),
      unneeded: candidates.map(({ candidate: { node } }) => node.name).sort(byName),
      utilization: unneeded.length > 0 ? utilizationIn(unneeded) : undefined,
      removals,
      unremovable: sortedBy(
        stay.map((one) => withMore(one, proposals.messages)),
        ({ node }) => node,
      ),
      message: removals.length > 0 ? null : hold.whole,
      ...nonEmpty({ disruptions: reports, budgets: nodeBudgets.reports }),
    },
    state: withMoves(
      state,
      moved.flatMap(({ candidate }) => candidate.drain.move),
      scenario.now,
    ),
  };
}

function resultOf({ removed, cooling }: LimitedRemovals, held: string | null): ScaleDownDecision['result'] {
  if (removed.length > 0) {
    return 'Planned';
  }
  return held !== null || cooling ? 'Cooldown' : 'Nothing';
}

const utilizationIn = (unneeded: readonly RemovalCandidate[]): Readonly<Record<NodeName, NodeUtilization>> =>
  sortedRecord(unneeded.map(({ candidate: { node, used } }) => [node.name, used] as const));

function withMore(one: Unremovable, messages: ReadonlyMap<NodeName, string>): Unremovable {
  const more = messages.get(one.node);
  if (more === undefined) {
    return one;
  }
  return { ...one, message: presentItems([one.message, more]).join('; ') };
}
