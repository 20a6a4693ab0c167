import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUSY_HOURS, BUSY_NODES, PROFILES } from '../../cli/cost/busy-hours.ts';
import {
  ESTIMATES,
  fullHistoryMonth,
  IDLE_HOUR,
  idleMonth,
  monthOf,
  sizeFor,
  STACK,
  total,
} from '../../cli/cost/model.ts';
import { HOURS_A_MONTH } from '../../config/list-prices.ts';
import { countHour } from './counted-hour.ts';
import { templateFor } from './stack-for.ts';
import { snapshotsMonth, waitsUpTo } from '../../scripts/cost/additional-months.ts';

const template = templateFor();

/** `COUNT_ALL=1` counts hours of larger clusters, which take up to two minutes of CPU each; idle ones are counted every night. */
const isCounted = (nodes: number): boolean => nodes <= 100 || process.env['COUNT_ALL'] !== undefined;

describe.each(([10, 100, 1_000] as const).filter(isCounted))('an idle hour of %d nodes', (nodes) => {
  it('has what the cost model has: every invocation, evaluation, request, metric, line and unit of the table', async () => {
    const { invocations, evaluations, requests, metrics, lines, commits, units, history } = await countHour(nodes);
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

const COUNTED = BUSY_NODES.filter(isCounted);

describe.each(['office', 'busy'] as const)('an hour of the profile %s', (profile) => {
  it.each(COUNTED)('has at %d nodes what the cost model has', { timeout: 1_800_000 }, async (nodes) => {
    const { invocations, evaluations, metrics, lines, commits, units, sent, drains } = await countHour(nodes, profile);
    const { drain: _, ...charged } = invocations;
    expect({
      invocations: charged,
      evaluations,
      sent,
      drains,
      commits: commits.length,
      refusedCommits: commits.filter((kind) => kind === 'conflict').length,
      units,
      metrics: new Set(metrics).size,
      logBytes: lines.reduce((sum, { bytes }) => sum + bytes, 0),
    }).toEqual(BUSY_HOURS[profile][nodes]);
  });
});

describe('a month of work', () => {
  it.each([100, 500, 2_000])('at %d nodes costs more than one of rest, and less than one that is busy', (nodes) => {
    const [rest, office, busy] = PROFILES.map((profile) => total(monthOf(nodes, sizeFor(nodes), profile)));
    expect(rest).toBeLessThan(office!);
    expect(office).toBeLessThan(busy!);
  });

  it('lies between months of the counted numbers of nodes, and is that of an idle cluster without work', () => {
    const at = (nodes: number): number => total(monthOf(nodes, 'medium', 'busy'));
    expect(at(300)).toBeGreaterThan(at(100));
    expect(at(300)).toBeLessThan(at(500));
    expect(at(1_000)).toBeGreaterThan(at(500));
    expect(at(1_000)).toBeLessThan(at(2_000));
    expect(idleMonth(100, 'small')).toEqual(monthOf(100, 'small', 'idle'));
  });
});

describe('a month of 100 idle nodes', () => {
  it('costs less than 1.30 USD, and would if functions waited a quarter longer than is estimated', () => {
    const month = total(idleMonth(100, 'small'));
    expect(month).toBeLessThan(1.3);
    expect(waitsUpTo(month, 100, 'small')).toBeCloseTo(1);
    expect(waitsUpTo(1.3, 100, 'small')).toBeGreaterThan(1.25);
  });
});

describe('the history of decisions', () => {
  it('costs less than 60 cents a month in the busiest cluster', () => {
    expect(fullHistoryMonth()).toBeLessThan(0.6);
    expect(fullHistoryMonth()).toBeCloseTo((1_024 * HOURS_A_MONTH * 0.625) / 1e6 + 0.041, 3);
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
  it('schedules, which start once a minute what the cost model counts', () => {
    const rules = Object.values(template.findResources('AWS::Events::Rule')).map(
      ({ Properties }) => Properties as { ScheduleExpression?: string; Targets: readonly unknown[] },
    );
    const targets = rules.flatMap(({ ScheduleExpression, Targets }) =>
      ScheduleExpression === undefined ? [] : Targets.map(() => ScheduleExpression),
    );
    expect(targets).toEqual(['rate(1 minute)', 'rate(1 minute)', 'rate(1 minute)']);
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
