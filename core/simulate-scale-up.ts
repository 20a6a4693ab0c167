import { isolateFaults } from './model/isolation/isolate-faults.ts';
import { EMPTY_QUARANTINE, type Quarantine } from './model/isolation/quarantine.ts';
import type { Repair, ScaleUpDecision, UnexpectedError } from './model/decision.ts';
import { ordered } from './model/ordered.ts';
import type { Scenario } from './model/scenario.ts';
import type { State } from './model/state.ts';
import type { TimeLimit } from './model/time-limit.ts';
import { buildRegistry, type Registry } from './registry/registry.ts';
import { decideScaleUp, type ScaleUp } from './scaleup/scale-up.ts';
import { carriedOver, failedScaleUp } from './fallback-results.ts';

/** A scenario, and the registry of its node groups. */
interface ClusterState {
  readonly scenario: Scenario;
  readonly registry: Registry;
  /** Objects that steps so far have failed for. */
  readonly aside: Quarantine;
  /** Errors of these steps. */
  readonly errors: readonly UnexpectedError[];
}

/** The registry failed as a whole: nothing is known of the groups. */
export interface UnknownClusterState {
  readonly registry: null;
  readonly errors: readonly UnexpectedError[];
}

export function buildClusterState(scenario: Scenario): ClusterState | UnknownClusterState {
  const { value, aside, errors } = isolateFaults(scenario, 'Registry', EMPTY_QUARANTINE, (rest) =>
    buildRegistry(ordered(rest)),
  );
  if (value === null) {
    return { registry: null, errors };
  }
  return { scenario, registry: carriedOver(value, scenario, aside), aside, errors };
}

/** A scenario, and how scale-ups are planned for it. */
export interface PlanRequest {
  readonly scenario: Scenario;
  /** No scale-down is decided from the plan. */
  readonly scaleUpOnly: boolean;
  readonly limit: TimeLimit;
}

/** A scale-up that was planned for a cluster. */
export interface ScaleUpPlan extends ClusterState {
  readonly scaleUp: ScaleUpDecision;
  /** Raises of groups to their minimums. */
  readonly toMin: readonly Repair[];
  readonly state: State;
  /** The cluster with the increases, and the placed pods; `null` where scale-up has failed as a whole. */
  readonly simulated: Pick<ScaleUp, 'cluster' | 'placed'> | null;
}

/** @param planned the scenario with limits of the plan alone, such as groups that do not grow. */
export function simulateScaleUp(
  cluster: ClusterState,
  { scaleUpOnly, limit }: PlanRequest,
  planned: Scenario = cluster.scenario,
): ScaleUpPlan {
  const { registry } = cluster;
  const { value, aside, errors } = isolateFaults(planned, 'ScaleUp', cluster.aside, (rest) =>
    decideScaleUp(ordered(rest), registry, scaleUpOnly, limit),
  );
  const { scaleUp, toMin, state } = value ?? failedScaleUp(planned, registry);
  return { ...cluster, scaleUp, toMin, state, simulated: value, aside, errors: [...cluster.errors, ...errors] };
}
