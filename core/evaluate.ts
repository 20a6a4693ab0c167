import { nonEmpty } from './model/values/present.ts';
import { isolated } from './model/isolation/isolated.ts';
import { EMPTY_QUARANTINE, type Quarantine, without } from './model/isolation/quarantine.ts';
import {
  carriedOver,
  failedRegistry,
  failedScaleDown,
  failedScaleUp,
  scaleDownNotEvaluated,
  scaleUpNotEvaluated,
  withSetAside,
} from './stand-ins.ts';
import type { Decision, PodFit, RegistryReport, UnexpectedError } from './model/decision.ts';
import { disruptWith } from './disruption/disrupt.ts';
import { scaleUpWithDisruptions } from './disruption/scale-up-with-disruptions.ts';
import { type DeferredCommand, podsOf } from './disruption/purchase.ts';
import { byAge, type WaitingCommand, withoutWaiting } from './disruption/waiting.ts';
import { byName, type NodeName, type PodKey } from './model/values/names.ts';
import { type NoticeAnswers, announcedIn, type Departure } from './notices/departures.ts';
import { readyToLeave } from './notices/replacements.ts';
import { withCordons, withDepartures, withoutDepartures } from './notices/state.ts';
import { ordered } from './model/ordered.ts';
import { withFollowedTerms } from './scheduling/followed-terms.ts';
import { keyOf, type Pod } from './model/cluster/pod.ts';
import { about } from './model/fault.ts';
import { hasNoEnd, nameOfPause, type Pause, pausesIn } from './model/pause.ts';
import type { Snapshot } from './model/snapshot/snapshot.ts';
import type { Scenario } from './model/scenario.ts';
import { sortedBy, sortedRecord } from './model/values/sorted.ts';
import { ownPart } from './model/state-owners.ts';
import type { State } from './model/state.ts';
import { NO_TIME_LIMIT, type TimeLimit } from './model/time-limit.ts';
import { type EpochMs, minutes } from './model/values/time.ts';
import { buildRegistry, inNameOrder, type Registry } from './registry/registry.ts';
import { decideScaleDown } from './scaledown/scale-down.ts';
import { isPending } from './model/pod-wait.ts';
import { simulatedCluster } from './scaleup/pods/simulation.ts';
import { decideScaleUp } from './scaleup/scale-up.ts';
import { clusterSnapshot, homeOf } from './scheduling/cluster-snapshot.ts';
import { withStatedPrices } from './nodegroups/stated-prices.ts';
import { withAnnouncedDevices } from './nodegroups/announced-devices.ts';
import { withZonalShifts } from './nodegroups/zonal-shifts.ts';
import { withScheduledMinimums } from './headroom/scheduled-minimums.ts';
import { createScheduler, type Scheduler } from './scheduling/scheduler.ts';

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
  const { scenario, announced } = departing(given);
  const growth = growIn(scenario, { alone: false, limit });
  if (growth.start === null) {
    return failedRegistry(scenario, growth.errors);
  }
  const { start, grown } = growth;
  const shrunk = shrink(growth, scenario.state, grown.up.state);
  const { leaving, staying } = departuresAfter(announced, scenario, grown);
  const pauses = pausesIn(scenario);
  return withSetAside(
    {
      name: scenario.name,
      scaleUp: grown.up.scaleUp,
      scaleDown: shrunk.down.scaleDown,
      registry: reportOf(start, grown),
      state: withPauses(withoutDepartures(shrunk.down.state, staying), pauses, scenario.now),
      ...reportOfNotices(announced, leaving),
      ...nonEmpty({ pauses }),
    },
    scenario,
    { scaleUp: grown.aside, scaleDown: shrunk.aside },
    [...start.errors, ...grown.errors, ...shrunk.errors],
  );
}

/**
 * The part of `evaluate` that adds nodes: sizes, repairs, reservations. What is scale-down's in the state stays as it was
 * (`model/state-owners.ts`), and PodDisruptionBudgets and the controllers of pods that are not evicted say nothing here.
 */
export function evaluateScaleUp(given: Scenario, limit: TimeLimit = NO_TIME_LIMIT): Decision {
  const { scenario, announced } = departing(given);
  const growth = growIn(scenario, { alone: true, limit });
  if (growth.start === null) {
    return { ...failedRegistry(scenario, growth.errors), evaluation: 'ScaleUp', scaleDown: scaleDownNotEvaluated };
  }
  const { start, grown } = growth;
  const { leaving, staying } = departuresAfter(announced, scenario, grown);
  const pauses = pausesIn(scenario);
  return withSetAside(
    {
      name: scenario.name,
      evaluation: 'ScaleUp',
      scaleUp: grown.up.scaleUp,
      scaleDown: scaleDownNotEvaluated,
      registry: reportOf(start, grown),
      state: {
        ...withPauses(
          ownPart('ScaleUp', withoutDepartures(scenario.state, staying), grown.up.state),
          pauses,
          scenario.now,
        ),
        lastScaleUpEvaluation: scenario.now,
      },
      ...reportOfNotices(announced, leaving),
      ...nonEmpty({ pauses }),
    },
    scenario,
    { scaleUp: grown.aside, scaleDown: EMPTY_QUARANTINE },
    [...start.errors, ...grown.errors],
  );
}

/**
 * The part of `evaluate` that removes nodes. Simulates scale-up, so that pending pods have their places first, but adds
 * nothing: if nodes would be added, nothing is removed and `awaitsScaleUp` leaves the addition to scale-up. Scale-up's
 * fields of the state stay as they were.
 */
export function evaluateScaleDown(given: Scenario, limit: TimeLimit = NO_TIME_LIMIT): Decision {
  const { scenario, announced } = departing(given);
  const growth = growIn(scenario, { alone: false, limit });
  if (growth.start === null) {
    return { ...failedRegistry(scenario, growth.errors), evaluation: 'ScaleDown', scaleUp: scaleUpNotEvaluated };
  }
  const { start, grown } = growth;
  const { up } = grown;
  const shrunk = shrink(growth, scenario.state, isScaleUpSilent(scenario) ? start.registry.state : up.state);
  const pauses = pausesIn(scenario);
  const begun = (shrunk.down.state.disruptions ?? []).some(({ since }) => since === scenario.now);
  const grows = up.scaleUp.increases.length > 0 || up.toMin.length > 0 || begun;
  return withSetAside(
    {
      name: scenario.name,
      evaluation: 'ScaleDown',
      scaleUp: scaleUpNotEvaluated,
      scaleDown: { ...shrunk.down.scaleDown, ...(grows && { awaitsScaleUp: true as const }) },
      registry: { ...start.registry.report, repairs: [] },
      state: ownPart('ScaleDown', given.state, withoutDepartures(shrunk.down.state, allOf(announced))),
      ...nonEmpty({ pauses }),
    },
    scenario,
    { scaleUp: EMPTY_QUARANTINE, scaleDown: shrunk.aside },
    [...start.errors, ...grown.errors, ...shrunk.errors],
  );
}

/**
 * The scenario in which the nodes leave whose instances the cloud ends. Scale-up begins their removal, and scale-down only
 * reckons with it.
 */
function departing(asked: Scenario): { readonly scenario: Scenario; readonly announced: NoticeAnswers } {
  const given = withStatedPrices(
    withScheduledMinimums(withAnnouncedDevices(withZonalShifts(withBoundedObjects(asked)))),
  );
  const announced = announcedIn(given);
  return { scenario: withCordons(withDepartures(given, allOf(announced)), announced.cordoned), announced };
}

/** The scenario with as many terms of affinity as are followed. */
const withBoundedObjects = (scenario: Scenario): Scenario => {
  const objects = withFollowedTerms(scenario.objects);
  return objects === scenario.objects ? scenario : { ...scenario, objects };
};

const allOf = ({ departures, replaced }: NoticeAnswers): readonly Departure[] => [...departures, ...replaced];

/** The nodes that are drained now, and the nodes that wait for their replacement. */
function departuresAfter(
  { departures, replaced }: NoticeAnswers,
  { objects }: Scenario,
  { value }: Pick<Grown, 'value'>,
): { readonly leaving: readonly Departure[]; readonly staying: readonly Departure[] } {
  const ready = new Set(value === null ? [] : readyToLeave(replaced, objects, value));
  return {
    leaving: sortedBy([...departures, ...ready], ({ node }) => node),
    staying: replaced.filter((one) => !ready.has(one)),
  };
}

const reportOfNotices = (
  { reports }: NoticeAnswers,
  leaving: readonly Departure[],
): Pick<Decision, 'departures' | 'notices'> => ({
  ...(leaving.length > 0 && {
    departures: leaving.map(({ node, group, notice, deadline }) => ({ node, group, notice, deadline })),
  }),
  ...nonEmpty({ notices: reports }),
});

/** A pause that another one without an end follows at once is not told apart from it: nothing was done between them. */
function withPauses(state: State, pauses: readonly Pause[], now: EpochMs): State {
  const { pausedSince, pausesInForce: _, ...others } = state;
  return {
    ...others,
    ...nonEmpty({ pausesInForce: pauses.map(nameOfPause).toSorted(byName) }),
    ...(pauses.some(hasNoEnd) && { pausedSince: pausedSince ?? now }),
  };
}

/** Scale-up is evaluated every minute, and writes so at least once in `idleEvaluationInterval`. */
const SCALE_UP_SILENT_AFTER = minutes(5);

/** Without scale-up, no nodes are added that removals would be held back for. */
const isScaleUpSilent = ({ state: { lastScaleUpEvaluation }, options, now }: Scenario): boolean =>
  lastScaleUpEvaluation === undefined ||
  now - lastScaleUpEvaluation > options.idleEvaluationInterval + SCALE_UP_SILENT_AFTER;

/** The common input of both parts. */
interface Start {
  readonly scenario: Scenario;
  readonly inOrderOf: (given: Scenario) => Scenario;
  readonly aside: Quarantine;
  readonly errors: readonly UnexpectedError[];
  readonly registry: Registry;
}

/** `registry` is `null` where it failed as a whole: nothing is known of the groups then. */
function begin(scenario: Scenario): Start | { readonly registry: null; readonly errors: readonly UnexpectedError[] } {
  const inOrderOf = remembered(ordered);
  const { value, aside, errors } = isolated(scenario, 'Registry', EMPTY_QUARANTINE, (rest) =>
    buildRegistry(inOrderOf(rest)),
  );
  return value === null
    ? { registry: null, errors }
    : { scenario, inOrderOf, aside, errors, registry: carriedOver(value, scenario, aside) };
}

interface GrowthMode {
  /** No scale-down is decided from it. */
  readonly alone: boolean;
  readonly limit: TimeLimit;
}

function grow({ scenario, inOrderOf, aside: already, registry }: Start, { alone, limit }: GrowthMode) {
  const { value, aside, errors } = isolated(scenario, 'ScaleUp', already, (rest) =>
    decideScaleUp(inOrderOf(rest), registry, alone, limit),
  );
  return { value, aside, errors, up: value ?? failedScaleUp(scenario, registry) };
}

type Grown = ReturnType<typeof grow>;

/** Scale-up, with the nodes that wait for their replacement as if they went, as far as that may cost something. */
function growIn(scenario: Scenario, mode: GrowthMode) {
  let errors: readonly UnexpectedError[] = [];
  const beginOf = remembered(begin);
  const beside = scaleUpWithDisruptions(scenario, (of, planned): Pick<Growth, 'start' | 'grown'> | null => {
    const start = beginOf(of);
    if (start.registry === null) {
      errors = start.errors;
      return null;
    }
    return { start, grown: grow({ ...start, scenario: planned }, mode) };
  });
  if (beside === null) {
    return { start: null, errors };
  }
  const {
    growth: { start, grown },
    scaleUp,
    state,
    waiting,
    leftOut,
    taking,
    faults,
  } = beside;
  const up = { ...grown.up, scaleUp, state };
  return { start, grown: { ...grown, up, errors: [...grown.errors, ...faults] }, waiting, leftOut, taking };
}

interface Growth {
  readonly start: Start;
  readonly grown: Grown;
  readonly waiting: readonly WaitingCommand[];
  readonly leftOut: ReadonlyMap<string, DeferredCommand>;
  readonly taking: () => ReadonlyMap<string, string>;
}

const podsByAge = (waiting: readonly WaitingCommand[], scenario: Scenario): readonly ReadonlySet<PodKey>[] =>
  waiting.toSorted((a, b) => byAge(a.command, b.command)).map((one) => podsOf([one], scenario));

/**
 * @param before the state that was stored.
 * @param grownState that scale-up leaves.
 */
function shrink({ start, grown, waiting, leftOut, taking }: Growth, before: State, grownState: State) {
  const { scenario, inOrderOf, registry } = start;
  const { value, aside, up } = grown;
  const state = withoutWaiting(grownState, waiting, before.disruptions);
  let known: ReadonlySet<PodKey> | null = null;
  const homeless = (): ReadonlySet<PodKey> => (known ??= value?.homeless(podsByAge(waiting, scenario)) ?? new Set());
  const disrupt = disruptWith({
    stored: before.disruptions ?? [],
    waiting,
    leftOut,
    homeless,
    taking: once(taking),
  });
  let cluster = value?.cluster ?? null;
  const shrunk = isolated(scenario, 'ScaleDown', aside, (rest) => {
    const input = inOrderOf(rest);
    // A previous attempt may have changed its cluster: the cluster is made anew.
    const fresh =
      cluster ??
      (value === null ? simulatedCluster(input) : decideScaleUp(inOrderOf(without(scenario, aside)), registry).cluster);
    cluster = null;
    return decideScaleDown({ scenario: input, registry, scaleUp: up.scaleUp, cluster: fresh, state, disrupt });
  });
  return {
    aside: shrunk.aside,
    errors: [...shrunk.errors, ...(shrunk.value?.faults ?? [])],
    down: shrunk.value ?? failedScaleDown(state),
  };
}

const reportOf = ({ registry }: Start, { up }: Grown): RegistryReport => ({
  ...registry.report,
  repairs: inNameOrder([...registry.report.repairs, ...up.toMin]),
});

const once = <B>(of: () => B): (() => B) => {
  let known: { readonly answer: B } | null = null;
  return () => (known ??= { answer: of() }).answer;
};

/** Remembers the last answer: without anything set aside, every part asks the same. */
function remembered<A extends object, B>(of: (given: A) => B): (given: A) => B {
  let last: { readonly given: A; readonly answer: B } | null = null;
  return (given) => {
    last = last?.given === given ? last : { given, answer: of(given) };
    return last.answer;
  };
}

/**
 * The decision with what kube-scheduler says, for every pending pod, to each node that is there. Nodes on their way are
 * not asked. As in `evaluate`, a mistake of the program is kept to what it is about.
 */
export function withFit(decision: Decision, scenario: Scenario): Decision {
  const { value, errors } = isolated(scenario, 'Fit', EMPTY_QUARANTINE, (rest) => fit(rest));
  return {
    ...decision,
    fit: value ?? [],
    ...(errors.length === 0 ? {} : { unexpectedErrors: [...(decision.unexpectedErrors ?? []), ...errors] }),
  };
}

/** For every pending pod: kube-scheduler's verdict on each existing node. */
export function fit(scenario: Scenario): readonly PodFit[] {
  const { objects, options } = ordered(withBoundedObjects(scenario));
  const snapshot = clusterSnapshot(objects, []);
  const scheduler = createScheduler(snapshot, objects);
  const pending = objects.pods.filter((pod) => isPending(pod, options));
  return pending.map((pod) => about({ kind: 'pod', pod }, () => fitOf(pod, snapshot, scheduler)));
}

function fitOf(pod: Pod, snapshot: Snapshot, scheduler: Scheduler): PodFit {
  const kind = snapshot.kindOf(pod);
  const home = homeOf(pod);
  const nominated = home === null ? undefined : snapshot.byName(home);
  snapshot.fork();
  if (nominated !== undefined) {
    // The pod counts on the node that preemption clears for it, but not against itself.
    snapshot.remove(kind, nominated);
  }
  const verdicts = snapshot.nodes.flatMap((info): [NodeName, string][] =>
    info === null ? [] : [[info.name, scheduler.check(kind, info)?.plugin ?? 'ok']],
  );
  snapshot.revert();
  return { pod: keyOf(pod), nodes: sortedRecord(verdicts) };
}
