import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LOAD } from '../../../simulation/load/default-load.ts';
import { readLoad } from '../../../simulation/load/read-load.ts';
import { record } from '../../../simulation/recording/record.ts';
import type { Recording } from '../../../simulation/recording/recording.ts';
import { createDecisionLog } from '../../../cli/html/decisions.ts';
import { demoReport } from '../../../cli/html/demo-report.ts';
import { createNeeds } from '../../../cli/html/needs.ts';
import type { ChartOfReport, Report } from '../../../cli/html/report.ts';
import type { Decision } from '../../../core/model/decision.ts';

let recording: Recording;
let report: Report;
const decisions: Decision[] = [];

beforeAll(async () => {
  const load = readLoad(DEFAULT_LOAD);
  if (!load.ok) {
    throw new Error(JSON.stringify(load.error));
  }
  const log = createDecisionLog();
  const needs = createNeeds();
  recording = await record(load.value, {
    watch: (scenario, decision) => {
      decisions.push(decision);
      log.take(scenario, decision);
      needs.take(scenario, decision);
    },
  });
  report = demoReport(recording, log.all(), needs.samples, load.value.start);
});

const chart = (title: string): ChartOfReport => report.charts.find((one) => one.title === title)!;
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);

describe('the page of a run', () => {
  test('has each instance, from its launch to its end', () => {
    const { nodes } = recording.summary;
    expect(report.nodes).toHaveLength(nodes.start + nodes.bought);
    expect(report.nodes.filter(({ phases }) => phases.at(-1)!.to === recording.summary.seconds)).toHaveLength(
      nodes.end,
    );
    expect(report.nodes.filter(({ note }) => note === 'removed empty')).toHaveLength(nodes.empty);
    expect(report.nodes.filter(({ note }) => note.startsWith('drained of'))).toHaveLength(nodes.drained);
  });

  test('has charts that agree with the summary', () => {
    const { summary } = recording;
    const nodes = chart('Nodes').series;
    expect(nodes.reduce((sum, { points }) => sum + points.at(-1)![1], 0)).toBe(summary.nodes.end);
    const [waiting] = chart('Pending pods').series;
    expect(waiting!.points.at(-1)![1]).toBe(summary.pods.pending);
    expect(most(waiting!.points.map(([, value]) => value))).toBeGreaterThan(20);
    const [cost] = chart('Cost of the nodes per hour').series;
    expect(most(cost!.points.map(([, value]) => value))).toBeCloseTo(summary.hourly!.most);
    expect(cost!.points.at(-1)![1]).toBeCloseTo(summary.hourly!.end);
  });

  test('has what the pods need at least beside the cost of the nodes, over time', () => {
    const [cost, all, bound] = chart('Cost of the nodes per hour').series;
    expect([cost!.name, all!.name, bound!.name]).toEqual(['nodes', 'without scale-down', 'lower bound']);
    const needed = bound!.points.map(([, value]) => value);
    // The needed capacity rises above the existing one as pods arrive, and falls as pods end, before nodes are removed.
    expect(needed.length).toBeGreaterThan(5);
    expect(most(needed)).toBeGreaterThan(needed[0]!);
    expect(most(needed)).toBeLessThanOrEqual(recording.summary.hourly!.most);
    expect(needed.at(-1)).toBeLessThan(most(needed));
    expect(needed.at(-1)).toBeLessThanOrEqual(recording.summary.hourly!.end);
    expect(bound!.points.at(-1)![0]).toBe(recording.summary.seconds);
  });

  test('has each decision that changes something, with its time and reasons', () => {
    const changes = decisions.filter(
      ({ scaleUp, scaleDown }) => scaleUp.increases.length + scaleDown.removals.length > 0,
    );
    const shown = report.decisions.filter((one) => one.changes);
    const groups = new Set(changes.flatMap(({ scaleUp }) => scaleUp.increases.map(({ group }) => group)));
    const removed = changes.flatMap(({ scaleDown }) => scaleDown.removals.map(({ node }) => node));
    const subjects = new Set(
      shown.flatMap(({ sections }) =>
        sections.flatMap(({ rows }) => rows.flatMap((row) => [row.label, ...row.subjects])),
      ),
    );
    expect([...groups, ...removed].filter((name) => !subjects.has(name))).toEqual([]);
    expect(shown.every(({ sections, at }) => sections.length > 0 && at! <= recording.summary.seconds)).toBe(true);
  });

  test('has each plan beside its bound', () => {
    const plans = decisions.flatMap(({ scaleUp }) => scaleUp.plan ?? []);
    const [bound, plan] = chart('Cost of each plan against its lower bound').series;
    expect(plan!.points.map(([, value]) => value)).toEqual(plans.map(({ cost }) => cost));
    expect(bound!.points.map(([, value]) => value)).toEqual(plans.map((one) => one.bound));
  });

  test('leaves out decisions that say the same as the one before', () => {
    expect(report.decisions.length).toBeLessThan(decisions.length / 2);
    expect(report.decisions.filter(({ kind }) => kind === 'scale-up').map(({ changes }) => changes)).toEqual([
      true,
      true,
      true,
    ]);
  });
});

test('only the last decisions are kept where they are bounded', async () => {
  const load = readLoad(DEFAULT_LOAD);
  const [all, few] = [createDecisionLog(), createDecisionLog(3)];
  if (load.ok) {
    await record(load.value, {
      watch: (scenario, decision) => {
        all.take(scenario, decision);
        few.take(scenario, decision);
      },
    });
  }
  expect(few.all()).toHaveLength(3);
  expect(few.all()).toEqual(all.all().slice(-3));
});
