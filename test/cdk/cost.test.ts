import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { clusterName } from '../../core/model/values/names.ts';
import { defaultOptions } from '../../core/model/options.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { createMemoryStore } from '../../providers/memory/store.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { sandboxes } from '../../runtime/invocations.ts';
import { simulatedNetwork, startSimulatedRuntime } from '../../runtime/simulated.ts';
import { IDLE_HOUR, type Nodes, STACK } from '../../scripts/cost/model.ts';
import { hostileTable } from '../hostile/table.ts';
import { agent, deployment, scalingGroup, testWorld } from '../providers/simulated/builders.ts';
import { stackFor } from './stack-for.ts';

const WEB = clusterName('web');
const template = Template.fromStack(stackFor());

interface Counted {
  readonly invocations: Record<string, number>;
  readonly metrics: Set<string>;
  readonly lines: string[];
  readonly commits: ('committed' | 'conflict')[];
  /** Calls of the store that were not refused, in their order. */
  readonly calls: ((store: StateStore, drains: DrainStore) => Promise<unknown>)[];
}

/** What happens in the last of two hours in a cluster of that many nodes, each of them in use. */
async function idleHour(nodes: Nodes) {
  const world = testWorld([scalingGroup('a', { desiredSize: nodes, maxSize: 2 * nodes })], { daemonSets: [agent] });
  world.controllers.apply(deployment('web', 3 * nodes, { cpu: 0.9 }));
  const counted: Counted = { invocations: {}, metrics: new Set(), lines: [], commits: [], calls: [] };
  startCounted(world, counted);
  await world.pass(3_600);
  const earlier = [...counted.calls];
  counted.metrics.clear();
  for (const part of [counted.lines, counted.commits, counted.calls]) {
    part.length = 0;
  }
  const atStart = { ...counted.invocations };
  await world.pass(3_600);
  const invocations = Object.entries(counted.invocations).map(([name, count]) => [name, count - atStart[name]!]);
  const { metrics, lines, commits, calls } = counted;
  return {
    invocations: Object.fromEntries(invocations),
    metrics,
    lines,
    commits,
    units: await unitsOf(calls, earlier),
  };
}

function startCounted(world: SimulatedWorld, { invocations, metrics, lines, commits, calls }: Counted): void {
  const line = (message: string): void => void lines.push(message);
  const invoke = sandboxes({ clock: world.clock, timeoutMs: () => 60_000 });
  startSimulatedRuntime({
    world,
    seed: 1,
    cluster: { name: WEB, options: defaultOptions() },
    ...recorded(calls, commits),
    network: simulatedNetwork(1),
    log: { debug: () => {}, info: line, warn: line, error: line },
    metrics: {
      count: (name, value) => void (value !== 0 && metrics.add(name)),
      milliseconds: (name) => void metrics.add(name),
    },
    visibilityTimeoutMs: 60_000,
    outboxBatch: 10,
    retries: { outbox: [], eventBus: [] },
    invocations: (worldFor) => {
      const run = invoke(worldFor);
      return async (target, event) => {
        invocations[target.name] = (invocations[target.name] ?? 0) + 1;
        return await run(target, event);
      };
    },
    onFailure: (name, error) => line(`${name} has failed: ${String(error)}`),
    onGivenUp: line,
  });
}

/** Stores that remember how they were called. */
function recorded(
  calls: Counted['calls'],
  commits: Counted['commits'],
): { readonly store: StateStore; readonly drains: DrainStore } {
  const store = createMemoryStore();
  const drains = createMemoryDrains();
  return {
    store: {
      ...store,
      load: async (cluster, signal) => {
        calls.push((table) => table.load(cluster));
        return await store.load(cluster, signal);
      },
      commit: async (cluster, commit, signal) => {
        const outcome = await store.commit(cluster, commit, signal);
        commits.push(outcome.kind);
        if (outcome.kind === 'committed') {
          calls.push((table) => table.commit(cluster, commit));
        }
        return outcome;
      },
    },
    drains: {
      ...drains,
      list: async (cluster, signal) => {
        calls.push((_table, ofTable) => ofTable.list(cluster));
        return await drains.list(cluster, signal);
      },
    },
  };
}

/** What the table is charged for the same calls. */
async function unitsOf(calls: Counted['calls'], earlier: Counted['calls']) {
  const table = hostileTable();
  const store = table.behind(createMemoryStore());
  for (const call of earlier) {
    await call(store, table.drains);
  }
  const before = table.charged();
  for (const call of calls) {
    await call(store, table.drains);
  }
  const { reads, writes } = table.charged();
  return { reads: reads - before.reads, writes: writes - before.writes };
}

describe.each([10, 100, 1_000] as const)('an idle hour of %d nodes', (nodes) => {
  it('has the invocations, metrics, lines and units of the table that the cost model has', async () => {
    const { invocations, metrics, lines, commits, units } = await idleHour(nodes);
    expect(invocations).toEqual(IDLE_HOUR.invocations);
    expect([...metrics]).toEqual([]);
    expect(lines).toEqual([]);
    const refused = commits.filter((kind) => kind === 'conflict');
    expect([commits.length, refused.length]).toEqual([IDLE_HOUR.commits, IDLE_HOUR.refusedCommits]);
    expect(units).toEqual({ reads: IDLE_HOUR.readUnits[nodes], writes: IDLE_HOUR.writeUnits[nodes] });
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
    const paid = ['KMS::Key', 'SecretsManager::Secret', 'CloudWatch::Dashboard', 'CloudWatch::CompositeAlarm'];
    for (const type of paid.map((name) => `AWS::${name}`)) {
      template.resourceCountIs(type, 0);
    }
  });
});
