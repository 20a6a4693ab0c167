import { firstItem, itemAt } from '@outrigger/core/model/values/existing.ts';
import type { Decision, PodOutcomeKind, Removal } from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import { POD_OUTCOMES } from '@outrigger/core/words/outcomes.ts';
import { whyNodeStaysInFull } from '@outrigger/core/words/why-node-stays.ts';
import { pictureOf } from '@outrigger/providers/html/picture/of-scenario.ts';
import { sum } from '../backtest/figures.ts';
import { planChart } from './charts.ts';
import { describe } from './decisions.ts';
import { removedText } from './lives.ts';
import type { ChartOfReport, NodeOfReport, Report, Tone } from './report.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

export interface EvaluatedScenario {
  readonly scenario: Scenario;
  readonly decision: Decision;
}

/** The decisions for scenarios, in the order in which they were evaluated: each is of its own, at one time. */
export function simulateReport(evaluated: readonly EvaluatedScenario[]): Report {
  const names = evaluated.map(({ scenario }, index) => scenario.name || `scenario ${index + 1}`);
  const pictures = evaluated.map(({ scenario, decision }) => pictureOf(scenario, decision));
  const isOne = evaluated.length === 1;
  return {
    title: `Outrigger simulate: ${isOne ? names[0] : counted(evaluated.length, 'scenario')}`,
    about: 'What Outrigger would do for the clusters of the scenarios.',
    start: null,
    facts: factsOf(evaluated),
    picture: isOne ? firstItem(pictures) : null,
    charts: [
      nodesChart(names, evaluated),
      podsChart(names, evaluated),
      ...planChart(
        names,
        evaluated.map(({ decision }) => decision.scaleUp),
      ),
    ],
    span: null,
    nodes: isOne ? nodesOf(firstItem(evaluated)) : [],
    decisions: evaluated.map(({ scenario, decision }, index) => ({
      ...describe(scenario, decision),
      picture: isOne ? null : itemAt(pictures, index),
      name: `${names[index]} at ${formatTime(scenario.now)}`,
    })),
  };
}

const addedBy = ({ scaleUp }: Decision): number => sum(scaleUp.increases.map(({ from, to }) => to - from));
const upcomingOf = ({ scaleUp }: Decision): number => sum(Object.values<number>(scaleUp.upcoming));

function factsOf(evaluated: readonly EvaluatedScenario[]): Report['facts'] {
  const decisions = evaluated.map(({ decision }) => decision);
  const pods = decisions.flatMap(({ scaleUp }) => scaleUp.pods);
  return [
    ['scenarios', String(evaluated.length)],
    ['pods looked at', String(pods.length)],
    ['pods that no node group can hold', String(pods.filter(({ outcome }) => outcome === 'Unschedulable').length)],
    ['nodes added', String(sum(decisions.map(addedBy)))],
    ['nodes removed', String(sum(decisions.map(({ scaleDown }) => scaleDown.removals.length)))],
  ];
}

/** Existing nodes, upcoming nodes, and the nodes that the decision adds and removes. */
function nodesChart(names: readonly string[], evaluated: readonly EvaluatedScenario[]): ChartOfReport {
  const of = (value: (decision: Decision) => number) =>
    evaluated.map(({ decision }, x) => [x, value(decision)] as const);
  const added = sum(evaluated.map(({ decision }) => addedBy(decision)));
  const removed = sum(evaluated.map(({ decision }) => decision.scaleDown.removals.length));
  return {
    title: 'Nodes',
    summary: `${counted(added, 'node')} added, ${removed} removed.`,
    kind: 'bars',
    unit: 'count',
    categories: names,
    series: [
      { name: 'registered', tone: 'used', points: of(({ registry }) => registry.totals.registered) },
      { name: 'upcoming', tone: 'booting', points: of(upcomingOf) },
      { name: 'added', tone: 'cost', points: of(addedBy) },
      { name: 'unneeded', tone: 'unneeded', points: of(({ scaleDown }) => scaleDown.unneeded.length) },
      { name: 'removed', tone: 'leaving', points: of(({ scaleDown }) => scaleDown.removals.length) },
    ],
  };
}

const OUTCOMES: readonly (readonly [PodOutcomeKind, Tone])[] = [
  ['Triggered', 'booting'],
  ['Fits', 'used'],
  ['Awaiting', 'unneeded'],
  ['Unschedulable', 'leaving'],
  ['Ignored', 'idle'],
  ['UnexpectedError', 'waiting'],
];

function podsChart(names: readonly string[], evaluated: readonly EvaluatedScenario[]): ChartOfReport {
  const count = (kind: PodOutcomeKind, { scaleUp }: Decision): number =>
    scaleUp.pods.filter(({ outcome }) => outcome === kind).length;
  const series = OUTCOMES.map(([kind, tone]) => ({
    name: POD_OUTCOMES[kind].short,
    tone,
    points: evaluated.map(({ decision }, x) => [x, count(kind, decision)] as const),
  })).filter(({ points }) => points.some(([, value]) => value > 0));
  const parts = series.map(({ name, points }) => `${sum(points.map(([, value]) => value))} ${name}`);
  return {
    title: TITLES.pendingPods,
    summary: parts.length === 0 ? 'No pod is pending.' : `${parts.join(', ')}.`,
    kind: 'bars',
    unit: 'count',
    categories: names,
    series,
  };
}

const removalNote = ({ kind, pods }: Removal): string => removedText(kind, pods.length);

function nodesOf({ scenario, decision }: EvaluatedScenario): readonly NodeOfReport[] {
  const groups = new Map(scenario.nodeGroups.flatMap(({ name, nodes }) => nodes.map((node) => [node, name] as const)));
  const stays = new Map(decision.scaleDown.unremovable.map((one) => [one.node, one]));
  const removed = new Map(decision.scaleDown.removals.map((one) => [one.node, one]));
  return scenario.objects.nodes.map(({ name }) => ({
    name,
    group: groups.get(name) ?? null,
    phases: [],
    note: mapOptional(removed.get(name), removalNote) ?? mapOptional(stays.get(name), whyNodeStaysInFull) ?? '',
  }));
}
