import { createActuate } from '../../functions/actuate/actuate.ts';
import { scaleDownHandler } from '../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../functions/scale-up/scale-up.ts';
import type { Executions } from '../../core/ports/executions.ts';
import type { Cluster, Services } from '../../functions/shared/services.ts';
import { evaluateScaleDown, evaluateScaleUp } from '../../core/evaluate.ts';
import type { Decision } from '../../core/model/decision.ts';
import { hasEnded } from '../../core/model/drain.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import { defaultOptions, type Options } from '../../core/model/options.ts';
import type { ClusterReader } from '../../core/ports/cluster.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { minutes, seconds } from '../../core/model/values/time.ts';
import { clusterReader, DEFAULT_READER } from '../../providers/kubernetes/read/reader.ts';
import { createClusterWriter } from '../../providers/kubernetes/writer.ts';
import { driveDrains } from '../functions/drain/drive-drains.ts';
import { invocation, sqsEvent, testWorld, scan, type TestWorld, WEB } from '../functions/test-world.ts';
import { type HostileApiServer, hostileApiServer, timeText } from './api-server.ts';
import { hostileAws } from './aws.ts';
import { EVIL, type Hostile, hostileObjects, mostVirtual, quotasBeside, VICTIM } from './objects.ts';
import type { Case, Settings } from './recipes.ts';
import { hostileTable } from './table.ts';
import { hostileMachines } from './machines.ts';
import { deployVictim, grown, isProvisioned, lie, replaced, schedule, victimGroups, victimNodes } from './victim.ts';

/** Outcome of a case. */
export interface Shown {
  /** Faults, in words; empty when all laws held. */
  readonly broken: readonly string[];
  readonly decisions: readonly Decision[];
  /** Nodes of the victim that were removed. */
  readonly removed: readonly string[];
  /** Pods of the victim that are without a node in the end. */
  readonly pending: readonly string[];
  /** Is it written in the end that capacity is provisioned for the victim's request? */
  readonly isProvisioned: boolean;
  /** The sizes of all groups in the end, together. */
  readonly size: number;
}

/** Changes to what a case runs, for tests that show that a fault is found. */
export interface Tamper {
  readonly reader?: (reader: ClusterReader) => ClusterReader;
  readonly store?: (store: StateStore) => StateStore;
  readonly decision?: (scenario: Scenario, decision: Decision) => Decision;
}

/** Evaluations of a case, at most: reserved capacity moves to new nodes, and its pods may follow one by one. */
export const ROUNDS = 5;
const ROUND_MS = 20_000;
/** A drain that has not come to an end by then never will: of its own limits the longest is well below. */
const DRAIN_LIMIT_MS = 3 * 3_600_000;
/**
 * CPU time of an evaluation of a cluster of a few nodes, from the first request to the last one: twice the goal of 5 s, as slow and
 * busy cores take longer. The benchmarks hold the goal.
 */
const EVALUATION_LIMIT_MS = 10_000;

const OPTIONS = {
  capacityBuffers: true,
  provisioningRequests: true,
  capacityQuotas: false,
  scaleDownEnabled: true,
  scaleDownUnneededTime: seconds(10),
  scaleDownDelayAfterAdd: seconds(0),
  scaleDownDelayAfterDelete: seconds(0),
  scaleDownDelayAfterFailure: seconds(0),
  unremovableNodeRecheckTimeout: minutes(5),
  nodeDeleteDelayAfterTaint: seconds(1),
  // Each round is judged, so each is evaluated.
  idleEvaluationInterval: seconds(0),
  consolidateAfter: seconds(0),
  consolidationMinNodeAge: seconds(0),
} satisfies Partial<Options>;

const optionsOf = ({ expander, consolidation, plannedPlacement, headroom }: Settings): Partial<Options> => ({
  expander: [expander],
  consolidation,
  plannedPlacement,
  maxHeadroomPerNamespace: headroom,
});

/**
 * Runs a cluster through evaluations until nothing is decided any more, five at most, from the API server's bytes to what is stored, set and drained.
 *
 * @param twins the hostile pods with a node are ordinary ones of the same size, and there are no other hostile objects:
 *   what the victim gets then is what it is to get in any case.
 */
export async function runCase(
  given: Case,
  twins: boolean,
  tamper: Tamper = {},
  rounds: number = ROUNDS,
): Promise<Shown> {
  const changed = tamper.decision ?? ((_, decision) => decision);
  const broken: string[] = [];
  const names = victimNodes(given.victim);
  const all = hostileObjects(given.hostile, names, mostVirtual(given.settings));
  const hostile = twins ? all.flatMap(twinOf) : [...all, ...quotasBeside(all, given.settings)];
  const test = testWorld({ groups: victimGroups(given.victim) });
  const stubborn = new Set(hostile.flatMap((one) => (one.stubborn ? [one.object.metadata.uid] : [])));
  const server = hostileApiServer(() => test.time, given.encoding, stubborn);
  deployVictim(server, given.victim);
  const odd = twins ? [] : given.hostile;
  odd
    .filter((recipe) => recipe.kind === 'node')
    .slice(0, 1)
    .forEach((recipe) => lie(server, recipe, names));
  const machines = odd.filter((recipe) => recipe.kind === 'machines');
  await using beside = machines.length === 0 ? null : await hostileMachines(machines, test.now);
  server.put('Namespace', { metadata: { name: EVIL, uid: 'uid-namespace-evil', labels: { 'evil/x': 'constructor' } } });
  const late = hostile.filter((one) => one.late);
  hostile.filter((one) => !one.late).forEach(({ kind, object }) => server.put(kind, object));
  server.onGone = (pod) => {
    if (pod.metadata.namespace === VICTIM && !replaced(server, pod)) {
      broken.push(`the victim's pod ${pod.metadata.name} was evicted, and has no place any more`);
    }
  };
  /** Decisions of one round: scale-up's and scale-down's, and what came of conflicts. */
  let own: Decision[] = [];
  const decisions: Decision[] = [];
  let slowestMs = 0;
  const world = worldOf(test, server, twins ? { ...given, hostile: [] } : given, beside, tamper);
  const kept = (evaluate: (scenario: Scenario) => Decision) => (scenario: Scenario) => {
    const decision = changed(scenario, evaluate(scenario));
    own.push(decision);
    return decision;
  };
  const scaleUp = scaleUpHandler(world, kept(evaluateScaleUp));
  const scaleDown = scaleDownHandler(world, kept(evaluateScaleDown));
  const actuate = createActuate(world);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const before = process.cpuUsage();
      const { batchItemFailures } = await scaleUp(sqsEvent(scan), invocation());
      const { user, system } = process.cpuUsage(before);
      slowestMs = Math.max(slowestMs, (user + system) / 1_000);
      if (batchItemFailures.length > 0) {
        broken.push('an evaluation failed');
        break;
      }
      await scaleDown({ cluster: WEB }, invocation());
      decisions.push(together(own));
      own = [];
      schedule(server, given.victim);
      await actuate({ resume: WEB }, invocation());
      await driveAll(world, test, server, late, broken);
      const { plannedPlacement } = given.settings;
      test.groups.groups = test.groups.groups.map((group) =>
        grown(server, group, timeText(test.time), plannedPlacement),
      );
      test.time += ROUND_MS;
      server.settle();
      const { scaleUp: up, scaleDown: down } = decisions.at(-1)!;
      if (round > 0 && up.increases.length === 0 && down.removals.length === 0) {
        break;
      }
    }
  } catch (error) {
    broken.push(`something was thrown: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
  broken.push(...troublesIn(test, decisions, slowestMs));
  const left = new Set(server.list('Node').map(({ metadata }) => metadata.name));
  const size = test.groups.groups.reduce((sum, { targetSize }) => sum + targetSize, 0);
  const pending = server
    .list('Pod')
    .flatMap(({ metadata, spec }) =>
      metadata.namespace === VICTIM && spec?.['nodeName'] === undefined ? metadata.name : [],
    );
  return {
    broken,
    decisions,
    removed: names.filter((name) => !left.has(name)),
    pending,
    isProvisioned: isProvisioned(server),
    size,
  };
}

/** The decisions of scale-up and scale-down, as one decision. */
function together(decisions: readonly Decision[]): Decision {
  const up = decisions.findLast(({ evaluation }) => evaluation === 'ScaleUp')!;
  const down = decisions.findLast(({ evaluation }) => evaluation === 'ScaleDown')!;
  const unexpectedErrors = decisions.flatMap((one) => one.unexpectedErrors ?? []);
  return { ...up, scaleDown: down.scaleDown, ...(unexpectedErrors.length > 0 && { unexpectedErrors }) };
}

/** An ordinary pod with the requests and the node of a hostile pod. */
function twinOf(one: Hostile): readonly Hostile[] {
  const { metadata, spec, status } = one.object;
  if (one.kind !== 'Pod' || spec?.['nodeName'] === undefined || one.late) {
    return [];
  }
  const [{ resources }] = spec['containers'] as [{ readonly resources: unknown }];
  const { name, namespace, uid, creationTimestamp } = metadata;
  const object = {
    metadata: { name, namespace: namespace!, uid, creationTimestamp },
    // Pods of a very low priority take no room: they would be preempted.
    spec: { nodeName: spec['nodeName'], containers: [{ name: 'main', resources }], priority: spec['priority'] ?? 0 },
    status: status!,
  };
  return [{ ...one, object, stubborn: false }];
}

function worldOf(
  test: TestWorld,
  server: HostileApiServer,
  { hostile, table, settings }: Case,
  beside: Pick<NodeGroups, 'list' | 'summarize'> | null,
  tamper: Tamper,
): Services & Executions {
  const odd = hostile.flatMap((recipe) => (recipe.kind === 'group' ? [recipe] : []));
  const aws = hostileAws(() => test.groups.groups, odd, test.now);
  const behind = table ? hostileTable() : null;
  const store = behind === null ? test.store : behind.behind(test.store);
  const reader = clusterReader(server, { ...DEFAULT_READER, headroomKinds: OPTIONS });
  const cluster: Cluster = {
    name: WEB,
    provider: 'aws',
    options: { ...defaultOptions(), ...OPTIONS, ...optionsOf(settings) },
    reader: tamper.reader?.(reader) ?? reader,
    writer: createClusterWriter(server, { now: test.now, warn: () => {} }),
    groups: {
      ...test.groups,
      list: async (nodes, signal) => [
        ...(await aws.list(nodes, signal)),
        ...((await beside?.list(nodes, signal)) ?? []),
      ],
      summarize: async (signal) => [...(await aws.summarize(signal)), ...((await beside?.summarize(signal)) ?? [])],
      terminate: async (group, instance, decrement) => {
        const node = test.groups.groups.flatMap(({ instances }) => instances).find(({ id }) => id === instance)?.node;
        const outcome = await test.groups.terminate(group, instance, decrement);
        if (outcome.kind === 'terminated' && node != null) {
          endNode(server, node);
        }
        return outcome;
      },
    },
  };
  return {
    ...test,
    now: test.now,
    sleep: async (ms) => {
      test.time += ms;
      server.settle();
    },
    store: tamper.store?.(store) ?? store,
    drains: behind === null ? test.drains : behind.drains,
    cluster: (name) => (name === WEB ? cluster : null),
  };
}

/** Deletes the Node of a terminated instance and the pods on that node. */
function endNode(server: HostileApiServer, node: NodeName): void {
  server.delete('Node', undefined, node);
  for (const { metadata, spec } of server.list('Pod')) {
    if (spec?.['nodeName'] === node) {
      server.delete('Pod', metadata.namespace, metadata.name);
    }
  }
}

/** Drives what was started, each to its end. What is to come late comes one by one, while the first drain goes on. */
async function driveAll(
  world: Services & Executions,
  test: TestWorld,
  server: HostileApiServer,
  late: Hostile[],
  broken: string[],
): Promise<void> {
  for (const { ids, attempt } of test.started.splice(0)) {
    const end = test.time + DRAIN_LIMIT_MS;
    await driveDrains(
      world,
      { cluster: WEB, ids, attempt },
      {
        wait: async (ms) => {
          await world.sleep(ms);
          const next = late.shift();
          const drain = next === undefined ? null : await world.drains.load(WEB, ids[0]!);
          if (
            next !== undefined &&
            drain !== null &&
            server.list('Node').some(({ metadata }) => metadata.name === drain.drain.node)
          ) {
            server.put('Pod', { ...next.object, spec: { ...next.object.spec, nodeName: drain.drain.node } });
          }
          if (test.time > end) {
            throw new DrainTooLong(ids.join(', '));
          }
        },
      },
    ).catch((error: unknown) => {
      if (!(error instanceof DrainTooLong)) {
        throw error;
      }
    });
    for (const id of ids) {
      const stored = await world.drains.load(WEB, id);
      if (stored !== null && !hasEnded(stored.drain)) {
        broken.push(`the drain of ${stored.drain.node} is ${stored.drain.phase} after ${DRAIN_LIMIT_MS / 60_000} min`);
      }
    }
  }
}

class DrainTooLong extends Error {}

/** The pods of a case have waited for an hour when they are seen first: that is said of them, with or without the hostile objects. */
const isAboutWaiting = ({ kind }: Readonly<Record<string, unknown>>): boolean => kind === 'LongPendingPods';

/** Troubles that no evaluation may show, whatever the cluster holds. */
function troublesIn(test: TestWorld, decisions: readonly Decision[], slowestMs: number): readonly string[] {
  const broken: string[] = [];
  for (const { level, message, fields } of test.lines) {
    const { error } = fields;
    if (level === 'error' && !isAboutWaiting(fields)) {
      broken.push(`error logged: ${message.slice(0, 200)}: ${error instanceof Error ? error.stack : ''}`);
    } else if (level !== 'error' && error !== undefined && !isRefused(error)) {
      broken.push(
        `warning with an error: ${message.slice(0, 200)}: ${error instanceof Error ? error.stack : typeof error}`,
      );
    }
  }
  for (const { scaleDown, unexpectedErrors = [] } of decisions) {
    broken.push(...unexpectedErrors.map(({ message, stack }) => `an unexpected error: ${message}: ${stack ?? ''}`));
    const unexpected = scaleDown.unremovable.find(({ reason }) => reason === 'UnexpectedError');
    if (unexpected !== undefined) {
      broken.push(`node ${unexpected.node} stays by an UnexpectedError: ${unexpected.message ?? ''}`);
    }
  }
  if (slowestMs > EVALUATION_LIMIT_MS) {
    broken.push(`an evaluation took ${slowestMs.toFixed(0)} ms of CPU`);
  }
  return broken;
}

/** The API server's refusals are outcomes. */
const isRefused = (error: unknown): boolean => error instanceof Error && error.name === 'ApiError';
