import { clusterName } from '../../core/model/values/names.ts';
import { isBeingRemoved } from '../../core/model/cluster/removal-taints.ts';
import { isExpendable } from '../../core/model/cluster/expendable.ts';
import { isDaemon, isFinished } from '../../core/model/cluster/pod.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { State } from '../../core/model/state.ts';
import type { ProviderName } from '../../core/model/provider.ts';
import { hasEnded } from '../../core/model/drain.ts';
import { minutes } from '../../core/model/values/time.ts';
import { isSimulatedNodeReady } from '../../simulation/cluster/node-readiness.ts';
import type { SimulatedInstance } from '../../simulation/cloud/group-view.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { createMemoryInbox } from '../../providers/memory/notice-inbox.ts';
import { createClusterApiWorld, createSimulatedWorld, type SimulatedWorld } from '../../simulation/world.ts';
import { recordAnnouncements } from './announcements.ts';
import { readingInPart } from './cluster-faults.ts';
import { type Counts, createCounter } from './counts.ts';
import { createCourier } from './courier.ts';
import { emptyNodes } from './empty-nodes.ts';
import { startBuffers } from './drawn-buffers.ts';
import { startQueue } from './drawn-requests.ts';
import { createEventLog } from './event-log.ts';
import {
  createFaultSource,
  type FaultKind,
  type FaultSource,
  isBetweenBursts,
  type Pattern,
  patternOf,
} from './fault-source.ts';
import { INVARIANTS } from './invariants/all.ts';
import type { Arming, Invariant, Stage, Violation, Watch } from './invariants/invariant.ts';
import { forgetfulStore } from './lost-state.ts';
import { mayGrow } from './limits.ts';
import { createMeetings, type Meetings } from './meetings.ts';
import { startNodeTrouble } from './node-trouble.ts';
import { startNotices } from './notices.ts';
import { type Outages, startOutages } from './outages.ts';
import { startAwsOutsiders, startClusterApiOutsiders } from './outsiders.ts';
import { recordOrders } from './orders.ts';
import { isOf } from './pools.ts';
import { observeQuality, type RunQuality } from './quality/observe.ts';
import { createRuntime } from './runtime.ts';
import type { Step } from './step.ts';
import { scenarioFor } from './scenario.ts';
import { deploy } from './stack.ts';
import { OF_FUNCTIONS, recordStrikes } from './strikes.ts';
import { watchedDrains } from './watched-drains.ts';
import { worldFaults } from './world-faults.ts';
import type { FaultScenario } from './fault-scenario.ts';

const CLUSTER = clusterName('sim');
/** The number of evaluations after the last fault by which everything must be known again. */
const EVALUATIONS = 3;
/** Decisions of the third evaluation are committed by then. */
const COMMITTED_MS = 5_000;

export interface RunOptions {
  readonly seed: number;
  readonly provider?: ProviderName;
  /** The most faults that strike. */
  readonly limit?: number;
  /** Kinds of faults that never strike. */
  readonly without?: readonly FaultKind[];
  /** How faults come; absent: by the seed. */
  readonly pattern?: Pattern;
  readonly invariants?: readonly Invariant[];
  /** Names of options that are drawn whatever the seed is. */
  readonly draw?: readonly string[];
  /** Whether the functions only say what they would do (`mode: observe`). */
  readonly dryRun?: boolean;
}

export interface Run {
  readonly seed: number;
  readonly provider: ProviderName;
  readonly violation: Violation | null;
  readonly faults: number;
  readonly evaluations: number;
  readonly lines: readonly string[];
  readonly digest: string;
  /** The cases that each invariant had, by its name. */
  readonly armings: Readonly<Record<string, Arming>>;
  /** Its faults, by kind. */
  readonly struck: Counts;
  /** The events of its world, by kind. */
  readonly happened: Counts;
  readonly quality: RunQuality;
}

/** Runs one scenario from its start to its end, or to the first thing that must not be. Equal options, equal runs. */
export async function run({
  seed,
  provider = 'aws',
  limit = Infinity,
  without = [],
  pattern = patternOf(seed),
  invariants = INVARIANTS,
  draw = [],
  dryRun = false,
}: RunOptions): Promise<Run> {
  const scenario = scenarioFor(seed, provider, draw);
  const { start } = scenario;
  // The world is made while faults may strike.
  let sinceStart = (): number => 0;
  const log = createEventLog(() => world.clock.now(), start);
  const faults = createFaultSource({
    seed,
    provider,
    limit,
    without: pattern === 'quiet' ? [...without, ...OF_FUNCTIONS] : without,
    pauses: () => pattern === 'bursts' && isBetweenBursts(sinceStart()),
    onStrike: (number, kind, words) => {
      strikes.note(kind);
      log.add(`FAULT ${number} (${kind}): ${words}`);
    },
  });
  const meetings = createMeetings(faults);
  const strikes = recordStrikes(() => world.clock.now());
  const happened = createCounter();
  scenario.drawn.forEach((name) => happened.note(`drawn ${name}`));
  const world: SimulatedWorld = worldOf(
    scenario,
    faults,
    () => world,
    () => outages,
    meetings,
  );
  const { clock } = world;
  sinceStart = () => clock.now() - start;
  const outages = startOutages(clock, scenario, faults, (service) => happened.note(`outage of ${service} felt`));
  const memory = forgetfulStore(clock, faults, () => orders.lost(clock.now()));
  const { reader, excluded: unread } = readingInPart(world.reader, world, scenario, faults);
  const announcements = recordAnnouncements(world);
  const orders = recordOrders();
  const stage: Stage = {
    scenario,
    cluster: CLUSTER,
    world,
    unread,
    orders,
    remembered: () => memory.snapshot().get(CLUSTER) ?? null,
    forgottenAt: () => memory.forgottenAt(),
    drains: () => drains.all(),
    announcements,
    strikes,
  };
  const drains = watchedDrains(createMemoryDrains(), (stored, before) => {
    const { id, phase, outcome } = stored.drain;
    if (phase !== before?.drain.phase) {
      const why = outcome?.kind === 'rolledBack' ? `: ${outcome.pod ?? ''} ${outcome.message}` : '';
      log.add(`drain ${id} (${stored.drain.kind}) ${before?.drain.phase ?? 'begins'} → ${phase}${why}`);
    }
    tell('drain', stored, before);
  });

  let violation: Violation | null = null;
  const armings: Record<string, Arming> = {};
  const held = invariants.filter(({ assumes = [] }) => scenario.beyond === null || !assumes.includes(scenario.beyond));
  const observer = observeQuality(stage);
  const met = meetings.start(stage);
  const watches = held.map((invariant): Watch =>
    invariant.watch(
      stage,
      (what) => {
        if (violation === null) {
          violation = { invariant: invariant.name, what, at: clock.now() };
          log.add(`VIOLATION of "${invariant.name}": ${what}`);
        }
      },
      (isArmed) => {
        const { cases, armed } = armings[invariant.name] ?? { cases: 0, armed: 0 };
        armings[invariant.name] = { cases: cases + 1, armed: armed + (isArmed ? 1 : 0) };
      },
    ),
  );
  const tell = <Part extends keyof Watch>(part: Part, ...args: Parameters<NonNullable<Watch[Part]>>): void => {
    for (const watch of [met, ...watches, observer.watch]) {
      (watch[part] as ((...given: typeof args) => void) | undefined)?.(...args);
    }
  };

  world.onEvent(({ at: _at, ...happening }) => {
    log.add(Object.values(happening).join(' '));
  });
  world.onEvent((event) => happened.note(event.kind === 'Announced' ? `Announced ${event.what}` : event.kind));
  world.onEvent((event) => tell('event', event));
  startNodeTrouble(world, scenario, faults);

  let evaluations = 0;
  const evaluationsLeft = { ScaleUp: EVALUATIONS, ScaleDown: EVALUATIONS };
  let evaluatedAgain = false;
  const decidedStates = new WeakMap<Decision['registry'], State>();
  deploy({
    scenario,
    cluster: CLUSTER,
    world,
    reader,
    faults,
    outages,
    courier: createCourier(clock, faults, outages),
    dryRun,
    runtime: createRuntime({
      clock,
      faults,
      beyond: scenario.beyond,
      log: log.add,
      meetings,
      onSkew: strikes.noteSkew,
      onFailed: (name, error) => tell('failed', name, error),
    }),
    log: log.add,
    onGivenUp: () => happened.note('wake-up given up'),
    onFailed: (name, error) => tell('failed', name, error),
    onMessage: (message) => tell('message', message),
    onAnswered: (...call) => tell('answered', ...call),
    onHandled: (event) => announcements.handled(event).forEach((one) => tell('taken', one)),
    drains,
    inbox: createMemoryInbox(),
    store: {
      ...memory,
      commit: async (cluster, commit, signal) => {
        const outcome = await memory.commit(cluster, commit, signal);
        log.add(
          outcome.kind === 'conflict'
            ? `conflict at version ${commit.expectedVersion}`
            : `version ${outcome.version}: ${commit.intents.map((intent) => (intent.kind === 'SetSize' ? `${intent.id} ${intent.from} → ${intent.to}` : `${intent.id} ${intent.kind}`)).join(', ') || 'no intents'}`,
        );
        if (outcome.kind === 'committed') {
          orders.committed(commit.intents);
          // By the part of it that is stored as it was decided: the state is written with more.
          tell('committed', { ...commit, state: decidedStates.get(commit.decision.registry) ?? commit.state });
        }
        return outcome;
      },
      endIntent: async (cluster, id, end, signal) => {
        const open = orders.open().find((one) => one.id === id);
        await memory.endIntent(cluster, id, end, signal);
        if (open !== undefined) {
          orders.ended(id);
          tell('intentEnded', open, end.status);
        }
        log.add(`intent ${id} is ${end.status}${end.outcome === null ? '' : `: ${end.outcome.message}`}`);
      },
    },
    onDecision: ({ name }, seen, decision) => {
      evaluations += 1;
      log.add(
        `${name} decides: ${decision.scaleUp.result}, ${decision.registry.repairs.length} repairs, ` +
          `${decision.scaleDown.result}: ${decision.scaleDown.removals.length} of ${decision.scaleDown.unneeded.length} unneeded`,
      );
      for (const { nodes, reason, state, cancelled, message } of decision.scaleDown.disruptions ?? []) {
        happened.note(`disruption ${cancelled ?? state}`);
        log.add(
          `${name} ${nodes.join(', ')} (${reason}): ${cancelled ?? state}${message === undefined ? '' : `, ${message}`}`,
        );
      }
      decidedStates.set(decision.registry, decision.state);
      tell('decided', seen, decision);
      const left = (): number => Math.max(...Object.values(evaluationsLeft));
      if (faults.stopped() && left() > 0 && --evaluationsLeft[decision.evaluation!] === 0 && left() <= 0) {
        clock.after(COMMITTED_MS, () => {
          evaluatedAgain = true;
        });
      }
    },
  });

  for (const step of scenario.steps) {
    clock.at(step.at, () => {
      log.add(stepWords(step));
      take(step, world);
    });
  }
  for (const { at, group } of scenario.templateChanges) {
    clock.at(at, () => world.scaling.changeTemplate(group));
  }
  startBuffers(world, scenario, log.add);
  startQueue(world, scenario, log.add);
  clock.at(scenario.faultsUntil, () => {
    log.add('nothing goes wrong any more');
    faults.stop();
  });

  let restingSince: number | null = null;
  let atRest = false;
  await clock.run({
    done: () => {
      tell('step');
      const isOver = scenario.buffers.every(({ until }) => until <= clock.now());
      if (faults.stopped() && evaluatedAgain && isOver) {
        restingSince = isAtRest(stage) ? (restingSince ?? clock.now()) : null;
        atRest = restingSince !== null && clock.now() - restingSince >= minutes(2);
      }
      return violation !== null || atRest;
    },
    until: scenario.until,
  });
  if (violation === null) {
    tell('ended', atRest);
  }
  log.add(`${violation === null ? 'ends' : 'fails'} after ${evaluations} evaluations and ${faults.count()} faults`);
  return {
    seed,
    provider,
    violation,
    faults: faults.count(),
    evaluations,
    lines: log.lines,
    digest: log.digest(),
    armings,
    struck: faults.counts(),
    happened: happened.counts(),
    quality: observer.quality(),
  };
}

function worldOf(
  scenario: FaultScenario,
  faults: FaultSource,
  reach: () => SimulatedWorld,
  outages: () => Outages,
  meetings: Meetings,
): SimulatedWorld {
  const { seed, start, groups, daemonSets, commitments } = scenario;
  const options = {
    seed,
    start,
    groups,
    daemonSets,
    // Without any, Outrigger does not ask for them.
    commitments: commitments.length > 0 ? commitments : undefined,
    faults: worldFaults(faults, scenario, reach, outages, meetings),
  };
  if (scenario.provider === 'aws') {
    const onAws = createSimulatedWorld({ ...options, announcesStates: true });
    startNotices(onAws, scenario, faults);
    startAwsOutsiders(onAws, scenario, faults);
    return onAws;
  }
  const world = createClusterApiWorld(options);
  startClusterApiOutsiders(world, scenario, faults);
  return world;
}

const take = (step: Step, { controllers }: SimulatedWorld): void =>
  step.kind === 'apply' ? controllers.apply(step.workload) : controllers.remove(step.workload);

const stepWords = (step: Step): string =>
  step.kind === 'apply' ? `${step.workload.name} is to have ${step.workload.pods} pods` : `${step.workload} goes`;

/** An instance that is no ready node by then is given up, and ended if it is no node and its group may shrink. */
const GIVEN_UP = minutes(17);

/**
 * Every pod runs, or waits although its groups are as large as they may be; every instance is ready or given up, no node is
 * on its way out, and none could be.
 */
function isAtRest(stage: Stage): boolean {
  const { api, scaling, controllers, clock } = stage.world;
  const { pools } = stage.scenario;
  const remembered = stage.remembered();
  const views = scaling.groups();
  const isSettled = ({ node, launchedAt }: SimulatedInstance, mayGo: boolean): boolean => {
    const registered = node === null ? undefined : api.nodes.get(node);
    return registered === undefined
      ? clock.now() - launchedAt > GIVEN_UP && !mayGo
      : clock.now() - launchedAt > GIVEN_UP || isSimulatedNodeReady(registered);
  };
  if (
    controllers.isBusy() ||
    (remembered !== null &&
      (remembered.state.scaleUpRequests.length > 0 ||
        remembered.state.deletionsInProgress.length > 0 ||
        remembered.state.scaleDownRequests.length > 0 ||
        remembered.intents.some(({ status }) => status === 'pending'))) ||
    views.some(
      ({ group, instances, desired }) =>
        instances.length !== desired || !instances.every((instance) => isSettled(instance, desired > group.minSize)),
    )
  ) {
    return false;
  }
  const full = pools.filter((pool) =>
    views.every(
      (view) => !pool.groups.includes(view.group.name) || !mayGrow(view, stage.world, stage.scenario.options),
    ),
  );
  if (stage.drains().some(({ drain }) => !hasEnded(drain))) {
    return false;
  }
  const housed = api.pods
    .values()
    .every(
      (pod) =>
        isDaemon(pod) ||
        isFinished(pod) ||
        pod.phase === 'Running' ||
        (pod.nodeName === null && (isExpendable(pod, stage.scenario.options) || full.some((pool) => isOf(pool, pod)))),
    );
  const isTainted = [...api.nodes.values()].some((node) => isBeingRemoved(node));
  return housed && !isTainted && emptyNodes(stage).length === 0;
}
