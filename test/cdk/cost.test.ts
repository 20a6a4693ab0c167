import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clusterName } from '../../core/model/values/names.ts';
import { defaultOptions, type Options } from '../../core/model/options.ts';
import type { CommittedDecision } from '../../core/ports/decision-history.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import type { CommitOutcome, StateStore } from '../../core/ports/state-store.ts';
import { createHistory } from '../../providers/history/history.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { memoryItems } from '../../providers/memory/history.ts';
import { createMemoryStore } from '../../providers/memory/store.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { timeoutInProcess } from '../../runtime/lambda-rules.ts';
import { sandboxes } from '../../runtime/invocations.ts';
import { simulatedNetwork, startSimulatedRuntime } from '../../runtime/simulated.ts';
import {
  ESTIMATES,
  fullHistoryMonth,
  HOURS,
  IDLE_HOUR,
  idleMonth,
  snapshotsMonth,
  STACK,
  total,
  type Nodes,
  waitsUpTo,
} from '../../scripts/cost/model.ts';
import { hostileTable } from '../hostile/table.ts';
import { agent, deployment, scalingGroup, testWorld } from '../providers/simulated/builders.ts';
import { templateFor } from './stack-for.ts';

/** Bytes that the logger adds to each line: times, identifiers of the function and of the call. */
const OF_EVERY_LINE = 500;

const WEB = clusterName('web');
const template = templateFor();

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
  readonly commits: ('committed' | 'conflict')[];
  /** In their order. */
  readonly calls: Call[];
  readonly decisions: Omit<CommittedDecision, 'version'>[];
}

/** Counts the last of two hours in a cluster of that many nodes, each of them in use. */
async function idleHour(nodes: Nodes, options: Partial<Options> = {}) {
  const world = testWorld([scalingGroup('a', { desiredSize: nodes, maxSize: 2 * nodes })], { daemonSets: [agent] });
  world.controllers.apply(deployment('web', nodes, { cpu: 2.7 }));
  const counted: Counted = {
    invocations: [],
    evaluations: [],
    requests: [],
    metrics: [],
    lines: [],
    commits: [],
    calls: [],
    decisions: [],
  };
  startCounted(world, counted, { ...defaultOptions(), ...options });
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

function startCounted(world: SimulatedWorld, counted: Counted, options: Options): void {
  const line = (message: string, fields: object = {}): void =>
    void counted.lines.push({ message, bytes: OF_EVERY_LINE + JSON.stringify({ message, ...fields }).length });
  const told = (name: string): unknown => counted.requests.push(name);
  const invoke = sandboxes({
    clock: world.clock,
    timeoutMs: timeoutInProcess,
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
      const run = invoke(worldFor);
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
      (table[part] as unknown as Record<string, (...these: readonly unknown[]) => Promise<unknown>>)[name]!(...given);
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

describe.each([10, 100, 1_000] as const)('an idle hour of %d nodes', (nodes) => {
  it('has what the cost model has: every invocation, evaluation, request, metric, line and unit of the table', async () => {
    const { invocations, evaluations, requests, metrics, lines, commits, units, history } = await idleHour(nodes);
    expect(invocations).toEqual(IDLE_HOUR.invocations);
    expect(evaluations).toEqual(IDLE_HOUR.evaluations);
    expect(requests).toEqual(IDLE_HOUR.requests);
    expect(metrics).toEqual([]);
    expect(lines).toHaveLength(IDLE_HOUR.logLines);
    expect(Math.max(...lines.map(({ bytes }) => bytes))).toBeLessThanOrEqual(ESTIMATES.lineBytes);
    const refused = commits.filter((kind) => kind === 'conflict');
    expect([commits.length, refused.length]).toEqual([IDLE_HOUR.commits, IDLE_HOUR.refusedCommits]);
    expect(history).toEqual({ kept: 2, calls: [] });
    expect(units).toEqual({ reads: IDLE_HOUR.readUnits[nodes], writes: IDLE_HOUR.writeUnits[nodes] });
  });
});

describe('a month of 100 idle nodes', () => {
  it('costs less than a dollar, and would if functions waited a quarter longer than is estimated', () => {
    const month = total(idleMonth(100, 'small'));
    expect(month).toBeLessThan(1);
    expect(waitsUpTo(month, 100, 'small')).toBeCloseTo(1);
    expect(waitsUpTo(1, 100, 'small')).toBeGreaterThan(1.25);
  });
});

describe('the history of decisions', () => {
  it('costs less than 60 cents a month in the busiest cluster', () => {
    expect(fullHistoryMonth()).toBeLessThan(0.6);
    expect(fullHistoryMonth()).toBeCloseTo((1_024 * HOURS * 0.625) / 1e6 + 0.041, 3);
  });
});

describe('snapshots of lists', () => {
  it('cost as much as docs/large-clusters.md and decision 31 say', () => {
    const { puts, thousandColdStarts, storage, time, metric } = snapshotsMonth();
    expect(puts).toBeCloseTo((43_800 / 1_000) * 0.005);
    expect(thousandColdStarts).toBeCloseTo(4 * 0.0004, 6);
    expect(storage).toBeLessThan(0.0001);
    expect(time.map((usd) => usd.toFixed(2))).toEqual(['0.60', '1.20']);
    expect(puts + thousandColdStarts + storage + time[1] + metric).toBeLessThan(2);
    const [large, decision] = ['large-clusters.md', 'decisions/0031-lists-that-are-kept.md'].map((page) =>
      readFileSync(path.join(import.meta.dirname, '../../docs', page), 'utf8'),
    );
    expect(large).toContain('[less than two USD a month](cost.md)');
    expect(decision).toContain(`${puts.toFixed(2)} USD a`);
    expect(decision).toContain(`${time.map((usd) => usd.toFixed(1)).join(' to ')} USD for time`);
  });
});

describe('the stack has', () => {
  it('one schedule, which starts once a minute what the cost model counts', () => {
    const rules = Object.values(template.findResources('AWS::Events::Rule')).map(
      ({ Properties }) => Properties as { ScheduleExpression?: string; Targets: readonly unknown[] },
    );
    const [scheduled, ...others] = rules.filter(({ ScheduleExpression }) => ScheduleExpression !== undefined);
    expect([scheduled!.ScheduleExpression, scheduled!.Targets.length]).toEqual(['rate(1 minute)', 3]);
    expect(others).toEqual([]);
    template.resourceCountIs('AWS::Scheduler::Schedule', 0);
    expect(Object.values(IDLE_HOUR.invocations)).toEqual([60, 60, 60]);
  });

  it('the alarms of the cost model, and nothing else that is paid by the month', () => {
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')) as {
      Properties: { Metrics?: { MetricStat?: object }[] };
    }[];
    const metrics = alarms.flatMap(({ Properties: { Metrics } }) =>
      Metrics === undefined ? [1] : Metrics.filter(({ MetricStat }) => MetricStat !== undefined).map(() => 1),
    );
    expect(metrics).toHaveLength(STACK.alarmMetrics);
    template.resourceCountIs('AWS::CloudWatch::Dashboard', STACK.dashboards);
    const paid = ['KMS::Key', 'SecretsManager::Secret', 'CloudWatch::CompositeAlarm'];
    for (const type of paid.map((name) => `AWS::${name}`)) {
      template.resourceCountIs(type, 0);
    }
  });
});
