import { nonEmpty, present } from './model/values/present.ts';
import { isolateFaults } from './model/isolation/isolate-faults.ts';
import { EMPTY_QUARANTINE, type Quarantine, withoutQuarantined } from './model/isolation/quarantine.ts';
import {
  failedRegistry,
  failedScaleDown,
  scaleDownNotEvaluated,
  scaleUpNotEvaluated,
  withQuarantine,
} from './fallback-results.ts';
import type { Decision, RegistryReport, UnexpectedError } from './model/decision.ts';
import { withoutWaiting } from './disruption/waiting.ts';
import { withScheduledMinimums } from './headroom/scheduled-minimums.ts';
import { byName, type GroupName } from './model/values/names.ts';
import { type NoticeAnswers, announcedIn, type Departure } from './notices/departures.ts';
import { readyToLeave } from './notices/replacements.ts';
import { withCordons, withDepartures, withoutDepartures } from './notices/state.ts';
import { ordered } from './model/ordered.ts';
import { isScaleUpSilent } from './model/overdue-work.ts';
import { withBoundedTerms } from './scheduling/bounded-terms.ts';
import { hasNoEnd, nameOfPause, pausesIn } from './model/pause.ts';
import type { Scenario } from './model/scenario.ts';
import { sortedBy } from './model/values/sorted.ts';
import { ownPart } from './model/state-owners.ts';
import type { State } from './model/state.ts';
import { NO_TIME_LIMIT, type TimeLimit } from './model/time-limit.ts';
import { withAnnouncedDevices } from './nodegroups/announced-devices.ts';
import { withStatedPrices } from './nodegroups/stated-prices.ts';
import type { GroupTemplate } from './nodegroups/node-templates.ts';
import { similarityFor, similarSets } from './nodegroups/similar.ts';
import { withZonalShifts } from './nodegroups/zonal-shifts.ts';
import { type DisruptionPlan, planDisruptions, disruptionReadiness } from './plan-disruptions.ts';
import type { PlanRequest, ScaleUpPlan } from './simulate-scale-up.ts';
import { withReleases } from './release-nodes.ts';
import { inNameOrder } from './registry/registry.ts';
import { decideRemovals } from './decide-removals.ts';
import { podsWithoutReadyNode } from './scaleup/pods/pods-without-ready-node.ts';
import { simulatedCluster } from './scaleup/pods/simulation.ts';
import { decideScaleUp } from './scaleup/scale-up.ts';
import type { SimulatedCluster } from './scheduling/simulated-cluster.ts';

/**
 * Decides what the cluster needs. Pure: the same scenario gives the same decision, whatever the order of its lists.
 *
 * A time limit is the exception: pods for which no time is left are deferred to the next evaluation
 * (`State.deferredPods`).
 *
 * Never throws. A mistake of the program that shows in one pod, node, group or rule is limited to that object: the
 * object is set aside, the rest is decided, and `unexpectedErrors` reports it (decision 15). Where scale-up or
 * scale-down fails as a whole, the other is decided all the same, and the failed one's state stays as it was.
 */
export function evaluate(given: Scenario, limit: TimeLimit = NO_TIME_LIMIT): Decision {
  const { scenario, notices } = prepare(given);
  const request = { scenario, scaleUpOnly: false, limit };
  const planned = planDisruptions(request);
  if ('registry' in planned) {
    return failedRegistry(scenario, planned.errors);
  }
  const plan = withReleases(planned.plan);
  const removals = planRemovals({ ...planned, plan }, request, plan.state);
  const { leaving, staying } = departuresAfter(notices, plan);
  return decisionOf(
    {
      scaleUp: plan.scaleUp,
      scaleDown: removals.scaleDown,
      registry: registryReport(plan),
      state: withPauses(withoutDepartures(removals.state, staying), scenario),
      ...reportOfNotices(notices, leaving),
    },
    scenario,
    { scaleUp: plan.aside, scaleDown: removals.aside },
    [...plan.errors, ...removals.errors],
  );
}

/**
 * The part of `evaluate` that adds nodes: sizes, repairs, reservations. What is scale-down's in the state stays as it was
 * (`model/state-owners.ts`), and PodDisruptionBudgets and the controllers of pods that are not evicted say nothing here.
 */
export function evaluateScaleUp(given: Scenario, limit: TimeLimit = NO_TIME_LIMIT): Decision {
  const { scenario, notices } = prepare(given);
  const planned = planDisruptions({ scenario, scaleUpOnly: true, limit });
  if ('registry' in planned) {
    return { ...failedRegistry(scenario, planned.errors), evaluation: 'ScaleUp', scaleDown: scaleDownNotEvaluated };
  }
  const plan = withReleases(planned.plan);
  const { leaving, staying } = departuresAfter(notices, plan);
  const state = withPauses(ownPart('ScaleUp', withoutDepartures(scenario.state, staying), plan.state), scenario);
  return decisionOf(
    {
      evaluation: 'ScaleUp',
      scaleUp: plan.scaleUp,
      scaleDown: scaleDownNotEvaluated,
      registry: registryReport(plan),
      state: { ...state, lastScaleUpEvaluation: scenario.now },
      ...reportOfNotices(notices, leaving),
    },
    scenario,
    { scaleUp: plan.aside, scaleDown: EMPTY_QUARANTINE },
    plan.errors,
  );
}

/**
 * The part of `evaluate` that removes nodes. Simulates scale-up, so that pending pods have their places first, but adds
 * nothing: if nodes would be added, nothing is removed and `awaitsScaleUp` leaves the addition to scale-up. Scale-up's
 * fields of the state stay as they were.
 */
export function evaluateScaleDown(given: Scenario, limit: TimeLimit = NO_TIME_LIMIT): Decision {
  const { scenario, notices } = prepare(given);
  const request = { scenario, scaleUpOnly: false, limit };
  const planned = planDisruptions(request);
  if ('registry' in planned) {
    return { ...failedRegistry(scenario, planned.errors), evaluation: 'ScaleDown', scaleUp: scaleUpNotEvaluated };
  }
  const { plan } = planned;
  const removals = planRemovals(planned, request, isWithoutScaleUp(scenario) ? plan.registry.state : plan.state);
  const begun = (removals.state.disruptions ?? []).some(({ since }) => since === scenario.now);
  const grows = plan.scaleUp.increases.length > 0 || plan.toMin.length > 0 || begun;
  return decisionOf(
    {
      evaluation: 'ScaleDown',
      scaleUp: scaleUpNotEvaluated,
      scaleDown: grows ? { ...removals.scaleDown, awaitsScaleUp: true } : removals.scaleDown,
      registry: { ...plan.registry.report, repairs: [] },
      state: ownPart('ScaleDown', given.state, withoutDepartures(removals.state, allOf(notices))),
    },
    scenario,
    { scaleUp: EMPTY_QUARANTINE, scaleDown: removals.aside },
    [...plan.errors, ...removals.errors],
  );
}

/**
 * The scenario with its options applied, in which the nodes leave whose instances the cloud ends. Scale-up begins their
 * removal, and scale-down only reckons with it.
 */
function prepare(asked: Scenario): { readonly scenario: Scenario; readonly notices: NoticeAnswers } {
  const bounded = { ...asked, objects: withBoundedTerms(asked.objects) };
  const given = withStatedPrices(withScheduledMinimums(withAnnouncedDevices(withZonalShifts(bounded))));
  const notices = announcedIn(given);
  return { scenario: withCordons(withDepartures(given, allOf(notices)), notices.cordoned), notices };
}

/**
 * The removals after a plan, from a cluster in which its nodes are upcoming.
 *
 * @param state that the plan leaves.
 */
function planRemovals(planned: DisruptionPlan, request: PlanRequest, state: State) {
  const { plan, accepted, deferred } = planned;
  const { disruptions: stored } = request.scenario.state;
  const before = withoutWaiting(state, accepted, stored);
  const { value, aside, errors } = isolateFaults(plan.scenario, 'ScaleDown', plan.aside, (rest, isRetry) => {
    const scenario = ordered(rest);
    return decideRemovals({
      scenario,
      registry: plan.registry,
      scaleUp: plan.scaleUp,
      cluster: clusterAfter(plan, scenario, isRetry),
      state: before,
      disruptions: { stored: stored ?? [], accepted, deferred, ...disruptionReadiness(planned, request, scenario) },
    });
  });
  const removals = value ?? failedScaleDown(before);
  return { ...removals, aside, errors: [...errors, ...removals.faults] };
}

/** The cluster that a plan leaves, made anew for a retry: the attempt before may have changed it. */
function clusterAfter(
  { scenario, registry, aside, simulated }: ScaleUpPlan,
  rest: Scenario,
  isRetry: boolean,
): SimulatedCluster {
  if (simulated === null) {
    return simulatedCluster(rest);
  }
  const { cluster, placed } = isRetry
    ? decideScaleUp(ordered(withoutQuarantined(scenario, aside)), registry)
    : simulated;
  return { ...cluster, ...present({ similarSets: similarSetsOf(rest, placed.templates) }) };
}

/** The sets of similar groups that have nodes, by which removals keep groups even. */
function similarSetsOf(
  { nodeGroups, options, provider }: Scenario,
  templates: ReadonlyMap<GroupName, GroupTemplate>,
): SimulatedCluster['similarSets'] {
  const groups = nodeGroups.filter(({ nodes }) => nodes.length > 0).map(({ name }) => name);
  if (!options.balanceSimilarNodeGroups || groups.length < 2) {
    return undefined;
  }
  return similarSets(groups, templates, similarityFor(options, provider));
}

/** The decision, with the pauses in force and what was set aside. */
const decisionOf = (
  parts: Omit<Decision, 'name' | 'pauses'>,
  scenario: Scenario,
  asides: { readonly scaleUp: Quarantine; readonly scaleDown: Quarantine },
  errors: readonly UnexpectedError[],
): Decision =>
  withQuarantine(
    { name: scenario.name, ...parts, ...nonEmpty({ pauses: pausesIn(scenario) }) },
    scenario,
    asides,
    errors,
  );

const registryReport = ({ registry: { report }, toMin }: ScaleUpPlan): RegistryReport => ({
  ...report,
  repairs: inNameOrder([...report.repairs, ...toMin]),
});

const allOf = ({ departures, replaced }: NoticeAnswers): readonly Departure[] => [...departures, ...replaced];

/** The nodes that are drained now, and the nodes that wait for their replacement. */
function departuresAfter(
  { departures, replaced }: NoticeAnswers,
  { scenario: { objects }, simulated }: ScaleUpPlan,
): { readonly leaving: readonly Departure[]; readonly staying: readonly Departure[] } {
  const ready =
    simulated === null || replaced.length === 0
      ? []
      : readyToLeave(replaced, objects, podsWithoutReadyNode(simulated.placed));
  return {
    leaving: sortedBy([...departures, ...ready], ({ node }) => node),
    staying: replaced.filter((one) => !ready.includes(one)),
  };
}

const reportOfNotices = (
  { reports }: NoticeAnswers,
  leaving: readonly Departure[],
): Pick<Decision, 'departures' | 'notices'> => ({
  ...nonEmpty({
    departures: leaving.map(({ node, group, notice, deadline }) => ({ node, group, notice, deadline })),
    notices: reports,
  }),
});

/** A pause that another one without an end follows at once is not told apart from it: nothing was done between them. */
function withPauses(state: State, scenario: Scenario): State {
  const pauses = pausesIn(scenario);
  const { pausedSince, pausesInForce: _, ...others } = state;
  return {
    ...others,
    ...nonEmpty({ pausesInForce: pauses.map(nameOfPause).toSorted(byName) }),
    ...present({ pausedSince: pauses.some(hasNoEnd) ? (pausedSince ?? scenario.now) : null }),
  };
}

/** Without scale-up, no nodes are added that removals would be held back for. */
const isWithoutScaleUp = ({ state: { lastScaleUpEvaluation: last }, options, now }: Scenario): boolean =>
  last === undefined || isScaleUpSilent(last, options, now);
