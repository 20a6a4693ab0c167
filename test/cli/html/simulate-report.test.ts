import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ReportRow } from '../../../cli/html/report.ts';
import { type EvaluatedScenario, simulateReport } from '../../../cli/html/simulate-report.ts';
import { evaluate } from '../../../core/evaluate.ts';
import { decisionEvents } from '../../../core/words/decision-events.ts';
import { groupedReasons, groupedReasonText, rejectionLines } from '../../../core/words/pod-reasons.ts';
import { whyGroupSkipped } from '../../../core/words/why-group-skipped.ts';
import { whyNodeStaysInFull } from '../../../core/words/why-node-stays.ts';
import { parseDocuments } from '../../../providers/scenario/documents.ts';
import { readScenario } from '../../../providers/scenario/scenario.ts';

function example(name: string): EvaluatedScenario {
  const [document] = parseDocuments(readFileSync(new URL(`../../../examples/${name}.yaml`, import.meta.url), 'utf8'));
  if (document?.content.kind !== 'value') {
    throw new Error(`${name}: no document`);
  }
  const scenario = readScenario(document.content.value, 'outrigger');
  if (!scenario.ok) {
    throw new Error(JSON.stringify(scenario.error));
  }
  return { scenario: scenario.value, decision: evaluate(scenario.value) };
}

const EVALUATED = ['spot-shortage', 'three-zones', 'unschedulable'].map(example);
const NAMES = EVALUATED.map(({ scenario }) => scenario.name);

const rowsOf = (one: EvaluatedScenario): readonly ReportRow[] =>
  simulateReport([one]).decisions[0]!.sections.flatMap(({ rows }) => rows);

/** Text of the page about a pod or a node. */
const saidOf = (one: EvaluatedScenario, subject: string): string =>
  rowsOf(one)
    .filter(({ subjects }) => subjects.includes(subject))
    .map(({ label, text }) => `${label}: ${text}`)
    .join('\n');

describe.each(NAMES.map((name, index) => [name, EVALUATED[index]!] as const))('%s', (_, one) => {
  const { scenario, decision } = one;

  test('each pod has the words of its event', () => {
    const events = [...decisionEvents(scenario, decision, 0)].filter(({ about }) => about.kind === 'Pod');
    expect(events.length).toBeGreaterThan(0);
    for (const { about, reason, message } of events) {
      expect(saidOf(one, about.kind === 'Pod' ? `${about.namespace}/${about.name}` : '')).toContain(
        `${reason}: ${message.split('. ')[0]}`,
      );
    }
  });

  test('each pod has the details that simulate prints', () => {
    for (const { pods, ...rejection } of decision.scaleUp.rejections ?? []) {
      for (const pod of pods) {
        expect(saidOf(one, pod)).toContain(`\n${rejectionLines(rejection).join('\n')}`);
      }
    }
  });

  test('each pod has the reasons that explain prints, with the node groups', () => {
    for (const { pod, reasons = [] } of decision.scaleUp.pods) {
      for (const grouped of groupedReasons(reasons)) {
        expect(saidOf(one, pod)).toContain(groupedReasonText(grouped));
        expect(grouped.groups.filter((group) => !saidOf(one, pod).includes(group))).toEqual([]);
      }
    }
  });

  test('each node that stays and each node group that is skipped has its reason', () => {
    for (const stays of decision.scaleDown.unremovable) {
      expect(saidOf(one, stays.node)).toContain(`${stays.reason}: ${whyNodeStaysInFull(stays)}`);
    }
    for (const skipped of decision.scaleUp.skippedGroups) {
      expect(saidOf(one, skipped.group)).toContain(`${skipped.reason}: ${whyGroupSkipped(skipped)}`);
    }
  });

  test('one scenario has its nodes in a table, with why they stay', () => {
    const { nodes } = simulateReport([one]);
    expect(nodes.map(({ name }) => name)).toEqual(scenario.objects.nodes.map(({ name }) => name));
    for (const stays of decision.scaleDown.unremovable) {
      expect(nodes.find(({ name }) => name === stays.node)!.note).toBe(whyNodeStaysInFull(stays));
    }
  });
});

test('several scenarios are one decision each, and each chart has a place for each of them', () => {
  const { decisions, charts, nodes } = simulateReport(EVALUATED);
  expect(decisions.map(({ name }) => name)).toEqual(
    NAMES.map((name) => expect.stringMatching(`^${name} at 20`) as unknown),
  );
  expect(charts.map(({ title, categories }) => [title, categories])).toEqual([
    ['Nodes', NAMES],
    ['Pending pods', NAMES],
    ['Cost of each plan against its lower bound', expect.any(Array)],
  ]);
  expect(nodes).toEqual([]);
});

test('what a plan costs stands beside its bound, which is never more', () => {
  const chart = simulateReport(EVALUATED).charts.at(-1)!;
  const [bound, plan] = chart.series;
  const plans = EVALUATED.flatMap(({ decision }) => decision.scaleUp.plan ?? []);
  expect(plan!.points.map(([, cost]) => cost)).toEqual(plans.map(({ cost }) => cost));
  for (const [x, least] of bound!.points) {
    expect(least).toBeLessThanOrEqual(plan!.points[x]![1]);
  }
});

test('no scenario is no decision, and no chart of costs', () => {
  const { decisions, charts } = simulateReport([]);
  expect(decisions).toEqual([]);
  expect(charts.map(({ series }) => series.flatMap(({ points }) => points))).toEqual([[], []]);
});
