import { addCount } from '../../../core/model/values/counts.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { byName, clusterName, type PodKey } from '../../../core/model/values/names.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import { isDaemon, isFinished } from '../../../core/model/cluster/pod.ts';
import { specRequests } from '../../../core/model/cluster/pod-requests.ts';
import { addTime, type EpochMs, epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { writeQuantity } from '../../../providers/manifest/amounts.ts';
import { API_VERSION } from '../../../providers/schema/names.ts';
import type { Fault } from '../../../providers/simulated/api-call.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { plainSpec } from '../../../providers/simulated/pod-spec.ts';
import { type DaemonSet, type Workload, workloadKey } from '../../../providers/simulated/workload.ts';
import { createSimulatedWorld, type SimulatedWorld } from '../../../providers/simulated/world.ts';
import type { Happening } from '../../../providers/simulated/world-event.ts';
import type { Load, LoadStep } from '../load/load.ts';
import { createOutlook } from './outlook.ts';
import type {
  DecisionEntry,
  Entry,
  LoadEntry,
  RecordedGroup,
  Recording,
  ScaleDownEntry,
  Stuck,
  TroubleEntry,
} from './recording.ts';
import { summarise } from './summarize.ts';
import { wire } from './wiring.ts';

const START: EpochMs = epochMs(Date.UTC(2026, 0, 1, 9));
const CLUSTER = clusterName('demo');
/** So often it is asked whether anything is left to wait for. */
const CHECK = seconds(1);
/** When nothing has changed for so long, and some pods still wait, nothing will. */
const STANDSTILL = minutes(3);
/** A load that does not come to rest ends so long after its last step. */
const LIMIT = minutes(60);

const TOLERATE_ALL = [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }];
/** What EKS puts on every node. */
const DAEMON_SETS: readonly DaemonSet[] = [
  {
    namespace: 'kube-system',
    name: 'aws-node',
    spec: plainSpec({ cpu: 50 }, { tolerations: TOLERATE_ALL, priority: 2_000_001_000 }),
  },
  {
    namespace: 'kube-system',
    name: 'kube-proxy',
    spec: plainSpec({ cpu: 100 }, { tolerations: TOLERATE_ALL, priority: 2_000_001_000 }),
  },
];
const DAEMONS = new Set(DAEMON_SETS.map(workloadKey));

/**
 * Runs a load from its start to its end, as fast as the machine can. The same load gives the same recording.
 *
 * @param fault what Outrigger's calls of the simulated services meet.
 */
export async function record(load: Load, fault: Fault = () => null): Promise<Recording> {
  const world = createSimulatedWorld({
    seed: load.seed,
    start: START,
    groups: load.groups,
    daemonSets: DAEMON_SETS,
    faults: { call: fault },
  });
  const { clock } = world;
  const timeline: Entry[] = [];
  let lastChange: EpochMs = START;
  const add = (entry: Happening | LoadEntry | DecisionEntry | ScaleDownEntry | TroubleEntry): void => {
    timeline.push({ at: (clock.now() - START) / 1_000, ...entry });
  };
  const changed = (): void => {
    lastChange = clock.now();
  };

  const waiting = new Map<PodKey, EpochMs>();
  world.onEvent(({ at, ...happening }) => {
    if ('workload' in happening && DAEMONS.has(happening.workload)) {
      return;
    }
    if (happening.kind === 'PodUnschedulable') {
      waiting.set(happening.pod, at);
    }
    if (happening.kind !== 'LaunchFailed') {
      changed();
    }
    add(happening);
  });

  const nodeGroups = recordedGroups(world);
  const outlook = createOutlook();
  let lastDecision = '';
  const { store } = wire({
    world,
    seed: load.seed,
    cluster: CLUSTER,
    options: load.options,
    onDecision: (decision, now) => {
      if (decision.evaluation === 'ScaleDown') {
        const nodes = outlook.take(decision, now);
        if (nodes !== null) {
          add(nodes);
        }
        return;
      }
      const entry = decisionEntry(decision, world, waiting, now);
      // The schedule evaluates every minute; what it finds is worth telling once.
      const told = JSON.stringify({ ...entry, waited: null });
      if (decision.scaleUp.pods.length > 0 && (told !== lastDecision || decision.scaleUp.increases.length > 0)) {
        add(entry);
      }
      lastDecision = told;
    },
    onTrouble: (level, message) => add({ kind: 'Trouble', level, message }),
  });

  let stepsLeft = load.steps.length;
  for (const step of load.steps) {
    clock.at(addTime(START, step.at), () => {
      add(loadEntry(step, world));
      stepsLeft -= 1;
      changed();
      apply(step, world);
    });
  }

  const last = load.steps.at(-1)!.at;
  const until = load.until === null ? addTime(addTime(START, last), LIMIT) : addTime(START, load.until);
  let atRest = false;
  /** A group is left alone for a while, or what became of an intent has not been taken in yet. */
  const resumes = (): boolean => {
    const remembered = store.snapshot().get(CLUSTER);
    return (
      remembered !== undefined &&
      (Object.values(remembered.state.backoff).some((backoff) => backoff.until > clock.now()) ||
        remembered.intents.length > 0)
    );
  };
  const isStill = (): boolean => clock.now() - lastChange >= STANDSTILL && !resumes() && !hasJobs(world);
  const check = (): void => {
    atRest = stepsLeft === 0 && (isSettled(world) || isStill()) && !outlook.isOpen(lastChange);
    clock.after(CHECK, check);
  };
  clock.after(CHECK, check);
  await clock.run({ done: () => atRest, until });

  const ended = clock.now();
  return {
    apiVersion: API_VERSION,
    kind: 'DemoRecording',
    metadata: { name: load.name },
    seed: load.seed,
    unneededTime: unneededTimeOf(load),
    nodeGroups,
    timeline,
    summary: summarise({
      end: atRest ? 'at rest' : 'time is up',
      seconds: (ended - START) / 1_000,
      groups: nodeGroups,
      timeline,
      stuck: stuckPods(world, timeline),
      staying: outlook.staying().filter(({ node }) => world.api.nodes.has(node)),
    }),
  };
}

/** The groups as they are now, with the nodes that are there. */
const recordedGroups = ({ scaling }: SimulatedWorld): readonly RecordedGroup[] =>
  scaling.groups().map(({ group: { name, zones, instanceType, minSize, maxSize, desiredSize, price }, machines }) => ({
    name,
    zones,
    instanceType,
    minSize,
    maxSize,
    desiredSize,
    nodes: machines.flatMap(({ node }) => node ?? []),
    price,
  }));

function unneededTimeOf({ options, groups }: Load): number | null {
  const common = options.scaleDownUnneededTime;
  return groups.every((group) => (group.options.scaleDownUnneededTime ?? common) === common) ? common / 1_000 : null;
}

/** Everything that was asked for runs, and no machine is on its way. */
function isSettled({ api, scaling, controllers }: SimulatedWorld): boolean {
  for (const pod of api.pods.values()) {
    if (!isDaemon(pod) && !isFinished(pod) && (pod.phase !== 'Running' || controllers.runsFor(pod) !== null)) {
      return false;
    }
  }
  return (
    !controllers.isBusy() &&
    scaling
      .groups()
      .every(
        ({ desired, machines }) =>
          machines.length === desired && machines.every(({ node }) => node !== null && isReady(api.nodes.get(node))),
      )
  );
}

const isReady = (node: Node | undefined): boolean => node !== undefined && isNodeReady(node);

const hasJobs = ({ api, controllers }: SimulatedWorld): boolean =>
  [...api.pods.values()].some((pod) => pod.phase === 'Running' && controllers.runsFor(pod) !== null);

function apply(step: LoadStep, { controllers, scaling }: SimulatedWorld): void {
  switch (step.kind) {
    case 'deploy':
    case 'job':
      controllers.apply(step.workload);
      break;
    case 'scale':
      controllers.apply({ ...existing(step.workload, controllers.workload(step.workload)), pods: step.pods });
      break;
    case 'delete':
      controllers.remove(step.workload);
      break;
    case 'capacity':
      scaling.setAvailable(step.group, step.available);
      break;
  }
}

function existing(key: string, workload: Workload | null): Workload {
  if (workload === null) {
    throw new Error(`demo: the load scales ${key}, which is not there`);
  }
  return workload;
}

function loadEntry(step: LoadStep, { controllers }: SimulatedWorld): LoadEntry {
  if (step.kind === 'capacity') {
    return entryOf(step.kind, step.group, step.available, 0, null);
  }
  const key = 'pods' in step || step.kind === 'delete' ? step.workload : workloadKey(step.workload);
  const before = controllers.workload(key);
  const after = step.kind === 'deploy' || step.kind === 'job' ? step.workload : before;
  const count = step.kind === 'scale' ? step.pods : step.kind === 'delete' ? 0 : step.workload.pods;
  return entryOf(step.kind, key, count, before?.pods ?? 0, after);
}

function entryOf(
  step: LoadEntry['step'],
  subject: string,
  count: number,
  before: number,
  workload: Workload | null,
): LoadEntry {
  const requests = workload === null ? {} : specRequests(workload.spec);
  return {
    kind: 'Load',
    step,
    subject,
    count,
    before,
    requests: Object.fromEntries(
      Object.entries(requests).map(([resource, amount]) => [resource, writeQuantity(resource, amount)]),
    ),
    runsFor: workload === null || workload.runsFor === null ? null : workload.runsFor / 1_000,
    minAvailable: workload?.minAvailable ?? null,
    annotations: workload?.annotations ?? {},
  };
}

function decisionEntry(
  { scaleUp }: Decision,
  { api, controllers }: SimulatedWorld,
  waiting: ReadonlyMap<PodKey, EpochMs>,
  now: EpochMs,
): DecisionEntry {
  const outcomes: Record<string, number> = {};
  const stuck = new Map<string, Stuck>();
  let longest: number | null = null;
  for (const { pod, outcome, reasons = [] } of scaleUp.pods) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    const since = waiting.get(pod);
    if (outcome === 'Triggered' && since !== undefined) {
      longest = Math.max(longest ?? 0, (now - since) / 1_000);
    }
    if (outcome === 'Unschedulable' || outcome === 'Awaiting') {
      const object = api.pods.get(pod);
      const workload = object === undefined ? pod : controllers.workloadOf(object);
      stuck.set(workload, { workload, pods: (stuck.get(workload)?.pods ?? 0) + 1, reasons });
    }
  }
  return {
    kind: 'Decision',
    result: scaleUp.result,
    increases: scaleUp.increases,
    considered: scaleUp.considered,
    skippedGroups: scaleUp.skippedGroups,
    upcoming: Object.values<number>(scaleUp.upcoming).reduce((sum, count) => sum + count, 0),
    outcomes: Object.fromEntries(Object.entries(outcomes).sort(([a], [b]) => byName(a, b))),
    unschedulable: [...stuck.values()],
    waited: longest,
  };
}

/** Pods that wait for a node at the end: what the last decision and the scheduler say about them. */
function stuckPods({ api, controllers }: SimulatedWorld, timeline: readonly Entry[]) {
  const counts = new Map<string, number>();
  for (const pod of api.pods.values()) {
    if (pod.nodeName === null && !isDaemon(pod)) {
      const workload = controllers.workloadOf(pod);
      addCount(counts, workload);
    }
  }
  return [...counts].map(([workload, pods]) => {
    const decision = timeline.findLast(
      (entry): entry is Extract<Entry, DecisionEntry> =>
        entry.kind === 'Decision' && entry.unschedulable.some((stuck) => stuck.workload === workload),
    );
    const scheduler = timeline.findLast((entry) => entry.kind === 'PodUnschedulable' && entry.workload === workload);
    return {
      workload,
      pods,
      reasons: decision?.unschedulable.find((stuck) => stuck.workload === workload)?.reasons ?? [],
      message: scheduler?.kind === 'PodUnschedulable' ? scheduler.message : '',
    };
  });
}
