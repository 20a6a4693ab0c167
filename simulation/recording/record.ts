import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { isHeld } from '@outrigger/core/model/cluster/node-condition.ts';
import { getExisting, lastItem } from '@outrigger/core/model/values/existing.ts';
import { type ClusterName, clusterName } from '@outrigger/core/model/values/names.ts';
import {
  addTime,
  type DurationMs,
  durationMs,
  type EpochMs,
  minutes,
  seconds,
} from '@outrigger/core/model/values/time.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import { AUTO } from '@outrigger/core/model/unneeded-time.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import { withoutAwaitingPodsTaint } from '@outrigger/core/placement/nodes-awaiting-pods.ts';
import { createMemoryDrains } from '@outrigger/providers/memory/drains.ts';
import { createMemoryStore, type MemoryStore } from '@outrigger/providers/memory/store.ts';
import { API_VERSION } from '@outrigger/providers/schema/names.ts';
import type { CallFault } from '../api-call.ts';
import { createClusterApiWorld, createSimulatedWorld, type SimulatedAwsWorld, type SimulatedWorld } from '../world.ts';
import type { OnDecision } from '../../runtime/functions.ts';
import { sandboxes } from '../../runtime/invocations.ts';
import { TIMEOUTS_MS } from '../../runtime/lambda-rules.ts';
import { simulatedNetwork, startSimulatedRuntime } from '../runtime/simulated-runtime.ts';
import { startKarpenter } from '../karpenter/karpenter.ts';
import { workloadKey } from '../cluster/workload.ts';
import { nodeGroupOf } from '../cloud/groups.ts';
import type { DemoLoad } from '../load/load.ts';
import { pricesOfNodes } from '../load/stated-prices.ts';
import { hasJobs, hasComeToRest } from './at-rest.ts';
import { decisionEntry, stuckPods } from './decision-entry.ts';
import { createJournal, type RecordingJournal } from './journal.ts';
import { apply, loadEntry } from './load-steps.ts';
import { createOutlook, type Outlook } from './outlook.ts';
import type { RecordingGroup, Recording } from './recording.ts';
import { summarize } from './summarize.ts';

const CLUSTER: ClusterName = clusterName('demo');
/** Time between checks whether the cluster has come to rest. */
const CHECK = seconds(1);
/** Without a change for this long, pods that are still pending stay pending. */
const STANDSTILL = minutes(3);
/** A load that does not come to rest ends this long after its last step. */
const LIMIT = minutes(60);

/** A run that is being recorded. */
interface Run {
  readonly load: DemoLoad;
  readonly world: SimulatedWorld;
  readonly journal: RecordingJournal;
  readonly outlook: Outlook;
}

interface RecordOptions {
  /** The failures of Outrigger's calls of the simulated services. */
  readonly fault?: CallFault;
  /** The kind of the node groups; those of Cluster API have its names (`onClusterApi`). */
  readonly provider?: ProviderName;
  /** Told each decision, those that are not recorded included. */
  readonly watch?: OnDecision | undefined;
  /** Told the virtual time again and again, in seconds from the start. */
  readonly onTime?: ((seconds: number) => void) | undefined;
}

/** Runs a load from its start to its end on a virtual clock. The same load gives the same recording. */
export async function record(
  load: DemoLoad,
  { fault = () => null, provider = 'aws', watch = () => {}, onTime }: RecordOptions = {},
): Promise<Recording> {
  const options = {
    seed: load.seed,
    start: load.start,
    groups: load.groups,
    daemonSets: load.daemonSets,
    commitments: load.commitments,
    faults: { call: fault },
  };
  const world = provider === 'aws' ? createSimulatedWorld(options) : createClusterApiWorld(options);
  world.onEvent(({ at }) => onTime?.((at - load.start) / 1_000));
  const run: Run = {
    load,
    world,
    journal: createJournal(world, new Set(load.daemonSets.map(workloadKey))),
    outlook: createOutlook(),
  };
  const nodeGroups = recordedGroups(world, load.options);
  // Nodes of the start have been ready for long.
  [...world.api.nodes.values()].filter(isHeld).forEach((node) => world.api.putNode(withoutAwaitingPodsTaint(node)));
  const isActive = startAutoscaler(run, watch);
  const end = await runToItsEnd(run, isActive);
  return recordingOf(run, nodeGroups, end);
}

/**
 * Starts Outrigger's functions, or Karpenter where the load says so.
 *
 * @returns whether it may still act though nothing has changed.
 */
function startAutoscaler(run: Run, watch: OnDecision): () => boolean {
  const { load, world, journal } = run;
  if (load.karpenter !== undefined) {
    if (!isOnAws(world)) {
      throw new Error('simulation: Karpenter launches instances on AWS alone');
    }
    startKarpenter(world, load.groups, load.karpenter);
    return () => true;
  }
  const onDecision = decisionRecorder(run);
  const onTrouble = (level: 'warn' | 'error', message: string): void =>
    journal.add({ kind: 'Trouble', level, message });
  // Only the state and the intents are ever read.
  const store = createMemoryStore({ history: 1 });
  startSimulatedRuntime({
    world,
    seed: load.seed,
    cluster: { name: CLUSTER, options: load.options },
    store,
    drains: createMemoryDrains(),
    network: simulatedNetwork(load.seed),
    log: {
      debug: () => {},
      info: () => {},
      warn: (message) => onTrouble('warn', message),
      error: (message) => onTrouble('error', message),
    },
    invocations: sandboxes({
      clock: world.clock,
      timeoutMs: (name) => TIMEOUTS_MS[name],
      onDecision: (scenario, decision) => {
        onDecision(decision, scenario.now);
        watch(scenario, decision);
      },
    }),
    onFailure: (_, error) => onTrouble('warn', messageOf(error)),
    onGivenUp: (body) => onTrouble('error', `A wake-up failed too often and is dropped: ${body}`),
  });
  return () => goesOn(store, world.clock.now());
}

const isOnAws = (world: SimulatedWorld): world is SimulatedAwsWorld => world.provider === 'aws';

/** Records scale-up decisions about pods, and scale-down decisions, where they differ from the one before. */
function decisionRecorder({ world, journal, outlook }: Run): (decision: Decision, now: EpochMs) => void {
  let last = '';
  return (decision, now) => {
    if (decision.evaluation === 'ScaleDown') {
      const nodes = outlook.take(decision, now);
      if (nodes !== null) {
        journal.add(nodes);
      }
      return;
    }
    if (decision.scaleUp.pods.length === 0) {
      last = '';
      return;
    }
    const entry = decisionEntry(decision, world, journal.waiting, now);
    const fingerprint = JSON.stringify({ ...entry, waited: null });
    if (fingerprint !== last) {
      journal.add(entry);
    }
    last = fingerprint;
  };
}

/** Takes the load's steps and runs until the cluster is idle after the last of them, or the time is up. */
async function runToItsEnd(run: Run, isActive: () => boolean): Promise<Recording['summary']['end']> {
  const { load, world, journal, outlook } = run;
  const { clock } = world;
  const stepsLeft = scheduleSteps(run);
  const isStill = (): boolean => clock.now() - journal.lastChange() >= STANDSTILL && !isActive() && !hasJobs(world);
  let isIdle = false;
  const check = (): void => {
    isIdle = stepsLeft() === 0 && (hasComeToRest(world) || isStill()) && !outlook.isOpen(journal.lastChange());
    clock.after(CHECK, check);
  };
  const last = addTime(load.start, lastItem(load.steps).at);
  // Before the last step there is nothing to check, and a long load would be checked hundreds of thousands of times.
  clock.at(addTime(load.start, wholeChecks(durationMs(last - load.start))), check);
  const until = load.until === null ? addTime(last, LIMIT) : addTime(load.start, load.until);
  // Runs of the same length can be compared: one with an `until` lasts until then.
  await clock.run({ done: () => isIdle && load.until === null, until });
  return isIdle ? 'idle' : 'time is up';
}

/** The time of the last check up to then; the time of the first check if none is earlier. */
const wholeChecks = (upTo: DurationMs): DurationMs => durationMs(Math.max(1, Math.floor(upTo / CHECK)) * CHECK);

/** @returns the number of steps that are still to come. */
function scheduleSteps({ load: { start, steps }, world, journal }: Run): () => number {
  let left = steps.length;
  for (const step of steps) {
    world.clock.at(addTime(start, step.at), () => {
      journal.add(loadEntry(step, world));
      left -= 1;
      journal.noteChange();
      apply(step, world);
    });
  }
  return () => left;
}

/** A node group is in backoff, or the outcome of an intent has not been observed yet. */
function goesOn(store: MemoryStore, now: EpochMs): boolean {
  const stored = store.snapshot().get(CLUSTER);
  return (
    stored !== undefined &&
    (Object.values(stored.state.backoff).some((backoff) => backoff.until > now) || stored.intents.length > 0)
  );
}

function recordingOf(
  { load, world, journal: { timeline }, outlook }: Run,
  nodeGroups: readonly RecordingGroup[],
  end: Recording['summary']['end'],
): Recording {
  return {
    apiVersion: API_VERSION,
    kind: 'DemoRecording',
    provider: world.provider,
    metadata: { name: load.name },
    seed: load.seed,
    unneededTime: unneededTimeOf(load),
    nodeGroups,
    timeline,
    summary: summarize({
      end,
      seconds: (world.clock.now() - load.start) / 1_000,
      groups: nodeGroups,
      timeline,
      stuck: stuckPods(world, timeline),
      staying: outlook.staying().filter(({ node }) => world.api.nodes.has(node)),
    }),
  };
}

/** The present groups, with their existing nodes. */
function recordedGroups({ scaling }: SimulatedWorld, options: Options): readonly RecordingGroup[] {
  const views = scaling.groups();
  const prices = pricesOfNodes(
    views.map((view) => nodeGroupOf(view, new Map())),
    options,
  );
  return views.map(({ group, instances }) => {
    const { name, zones, instanceType, minSize, maxSize, desiredSize, warmPool } = group;
    return {
      name,
      zones,
      instanceType,
      minSize,
      maxSize,
      desiredSize,
      nodes: instances.flatMap(({ node }) => node ?? []),
      price: getExisting(prices, name),
      warmPool: warmPool && { size: warmPool.size, state: warmPool.state },
    };
  });
}

function unneededTimeOf({ options, groups }: DemoLoad): number | null {
  const common = options.scaleDownUnneededTime;
  const same = groups.every((group) => (group.options.scaleDownUnneededTime ?? common) === common);
  return same && common !== AUTO ? common / 1_000 : null;
}
