import { clusterName } from '../../core/model/values/names.ts';
import { defaultOptions, type Options } from '../../core/model/options.ts';
import { minutes } from '../../core/model/values/time.ts';
import type { CommittedDecision } from '../../core/ports/decision-history.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import type { CommitOutcome, StateStore } from '../../core/ports/state-store.ts';
import { createHistory } from '../../providers/history/history.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { memoryItems } from '../../providers/memory/history.ts';
import { createMemoryStore } from '../../providers/memory/store.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import { TIMEOUTS_MS } from '../../runtime/lambda-rules.ts';
import { sandboxes } from '../../runtime/invocations.ts';
import { simulatedNetwork, startSimulatedRuntime } from '../../simulation/runtime/simulated-runtime.ts';
import type { FunctionServices } from '../../runtime/services.ts';
import type { Profile } from '../../cli/cost/busy-hours.ts';
import { hostileTable } from '../hostile/table.ts';
import { agent, deployment, job, scalingGroup, testWorld } from '../simulation/builders.ts';

/** Bytes that the logger adds to each line: times, identifiers of the function and of the call. */
const OF_EVERY_LINE = 500;

const WEB = clusterName('web');
/** A call of the store or of the drains that was not refused. */
type Call = (table: { readonly store: StateStore; readonly drains: DrainStore }) => Promise<unknown>;

interface Counted {
  readonly invocations: string[];
  /** Full evaluations, by their kind. */
  readonly evaluations: string[];
  /** Methods of the API server and of Auto Scaling, by name. */
  readonly requests: string[];
  readonly metrics: string[];
  readonly lines: { readonly message: string; readonly bytes: number }[];
  /** Messages in the queue of scale-up, but for those of the schedule. */
  readonly sent: string[];
  /** Nodes that are to be drained. */
  readonly drains: string[];
  readonly commits: ('committed' | 'conflict')[];
  /** In their order. */
  readonly calls: Call[];
  readonly decisions: Omit<CommittedDecision, 'version'>[];
}

/** Counts the last of two hours in a cluster of that many nodes, each of them in use, with a load in these two hours. */
export async function countHour(nodes: number, profile: Profile = 'idle', options: Partial<Options> = {}) {
  const world = testWorld([scalingGroup('a', { desiredSize: nodes, maxSize: 2 * nodes })], { daemonSets: [agent] });
  world.controllers.apply(deployment('web', nodes, { cpu: 2.7 }));
  const counted: Counted = {
    invocations: [],
    evaluations: [],
    requests: [],
    metrics: [],
    lines: [],
    commits: [],
    sent: [],
    drains: [],
    calls: [],
    decisions: [],
  };
  startCounted(world, counted, { ...defaultOptions(), ...options });
  load(world, nodes, profile);
  await world.pass(3_600);
  const earlier = [...counted.calls];
  const before = [...counted.decisions];
  for (const part of Object.values(counted)) {
    part.length = 0;
  }
  await world.pass(3_600);
  const { invocations, evaluations, requests, metrics, lines, commits, calls, decisions } = counted;
  return {
    invocations: numberOfEach(invocations),
    evaluations: numberOfEach(evaluations),
    requests: numberOfEach(requests),
    metrics,
    lines,
    commits,
    history: await historyOf(before, decisions),
    sent: counted.sent.length,
    drains: counted.drains.length,
    units: await unitsOf(calls, earlier),
  };
}

/** The decisions that the history keeps of the first of them, and its calls of the table for the others. */
async function historyOf(first: Counted['decisions'], others: Counted['decisions']) {
  const calls: string[] = [];
  const items = watched(
    memoryItems(() => 0),
    (name) => calls.push(name),
  );
  const history = createHistory({ items, onUnreadable: () => {} });
  for (const [version, decided] of first.entries()) {
    await history.add(WEB, { version, ...decided });
  }
  const kept = calls.filter((name) => name === 'put').length;
  calls.length = 0;
  for (const [version, decided] of others.entries()) {
    await history.add(WEB, { version: first.length + version, ...decided });
  }
  return { kept, calls };
}

const numberOfEach = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [name, all!.length]));

/** How many nodes more than at the beginning the load takes, in percent, in each five minutes of an hour. */
const LOADS: Readonly<Record<Exclude<Profile, 'idle'>, readonly number[]>> = {
  office: [0, 2, 4, 6, 8, 10, 8, 6, 4, 2, 0, 0],
  busy: [10, 0, 4, 0, 0, 20, 2, 0, 0, 8, 0, 0],
};

/** Pods come and go: one each minute that fits, and in each five minutes as many as the profile has, each of which takes a node. */
function load({ clock, controllers }: SimulatedWorld, nodes: number, profile: Profile): void {
  if (profile === 'idle') {
    return;
  }
  for (let minute = 0; minute < 120; minute += 1) {
    clock.after(minutes(minute), () => {
      controllers.apply(job(`check-${minute}`, 1, { cpu: 0.1 }, minutes(2)));
      const pods = Math.round((nodes * LOADS[profile][(minute / 5) % 12]!) / 100);
      if (minute % 5 === 0 && profile === 'office') {
        controllers.apply(deployment('web', nodes + pods, { cpu: 2.7 }));
      }
      if (minute % 5 === 0 && profile === 'busy' && pods > 0) {
        controllers.apply(job(`batch-${minute}`, pods, { cpu: 2.7 }, minutes(8)));
      }
    });
  }
}

function tellingWorld(world: FunctionServices, { sent, drains }: Counted): FunctionServices {
  const telling =
    <Given extends readonly unknown[]>(call: (...given: Given) => Promise<void>) =>
    async (...given: Given): Promise<void> => {
      sent.push('wake-up');
      await call(...given);
    };
  return {
    ...world,
    wake: telling(world.wake),
    wakeForReadyNode: telling(world.wakeForReadyNode),
    wakeAtOnce: telling(world.wakeAtOnce),
    wakeAt: telling(world.wakeAt),
    startDrains: async (cluster, ids, attempt, ...more) => {
      drains.push(...ids);
      await world.startDrains(cluster, ids, attempt, ...more);
    },
  };
}

function startCounted(world: SimulatedWorld, counted: Counted, options: Options): void {
  const line = (message: string, fields: object = {}): void =>
    void counted.lines.push({ message, bytes: OF_EVERY_LINE + JSON.stringify({ message, ...fields }).length });
  const told = (name: string): unknown => counted.requests.push(name);
  const invoke = sandboxes({
    clock: world.clock,
    timeoutMs: (name) => TIMEOUTS_MS[name],
    onDecision: (scenario, decision) => {
      counted.evaluations.push(decision.evaluation!);
      counted.decisions.push({ scenario, decision });
    },
  });
  startSimulatedRuntime({
    world: { ...world, reader: watched(world.reader, told), groups: watched(world.groups, told) },
    seed: 1,
    cluster: { name: WEB, options },
    ...recorded(counted),
    network: simulatedNetwork(1),
    log: { debug: () => {}, info: line, warn: line, error: line },
    metrics: {
      count: (name, value) => void (value !== 0 && counted.metrics.push(name)),
      milliseconds: (name) => void counted.metrics.push(name),
    },
    invocations: (worldFor) => {
      const run = invoke((given) => tellingWorld(worldFor(given), counted));
      return async (target, event) => {
        counted.invocations.push(target.name);
        return await run(target, event);
      };
    },
    onFailure: (name, error) => line(`${name} has failed: ${String(error)}`),
    onGivenUp: line,
  });
}

/** An object whose methods tell of each call, and of its outcome. */
function watched<T extends object>(
  object: T,
  tell: (name: keyof T & string, given: readonly unknown[], outcome: unknown) => unknown,
): T {
  const methods = Object.entries(object).map(([name, method]) => [
    name,
    async (...given: readonly unknown[]): Promise<unknown> => {
      const outcome = await (method as (...these: readonly unknown[]) => Promise<unknown>)(...given);
      tell(name as keyof T & string, given, outcome);
      return outcome;
    },
  ]);
  return Object.fromEntries(methods) as T;
}

/** Stores that remember how they were called. */
function recorded({ calls, commits }: Counted): { readonly store: StateStore; readonly drains: DrainStore } {
  const again =
    (part: 'store' | 'drains', name: string, given: readonly unknown[]): Call =>
    (table) =>
      (table[part] as unknown as Record<string, (...these: readonly unknown[]) => Promise<unknown>>)[name]!(
        // The limit of a step is over when the call is repeated.
        ...given.map((one) => (one instanceof AbortSignal ? undefined : one)),
      );
  return {
    store: watched(createMemoryStore(), (name, given, outcome) => {
      const kind = name === 'commit' ? (outcome as CommitOutcome).kind : null;
      if (kind !== null) {
        commits.push(kind);
      }
      if (kind !== 'conflict') {
        calls.push(again('store', name, given));
      }
    }),
    drains: watched(createMemoryDrains(), (name, given) => calls.push(again('drains', name, given))),
  };
}

/** Units that the table is charged for the same calls. */
async function unitsOf(calls: Counted['calls'], earlier: Counted['calls']) {
  const table = hostileTable();
  const store = table.behind(createMemoryStore());
  for (const call of earlier) {
    await call({ store, drains: table.drains });
  }
  const before = table.charged();
  for (const call of calls) {
    await call({ store, drains: table.drains });
  }
  const { reads, writes } = table.charged();
  return { reads: reads - before.reads, writes: writes - before.writes };
}
