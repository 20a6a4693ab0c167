import { counted } from '@outrigger/core/model/values/counted.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { whyNodeStaysInFull } from '@outrigger/core/words/why-node-stays.ts';
import { livesOf, type Life } from '@outrigger/simulation/recording/lives.ts';
import { handle, type Handlers, type Recording } from '@outrigger/simulation/recording/recording.ts';
import type { Picture } from '@outrigger/providers/html/picture/picture.ts';
import { clockTime } from '../terminal/clock-time.ts';
import { length } from '../terminal/text.ts';
import { needSeries, overTime, planChart } from './charts.ts';
import type { TimedDecision } from './decisions.ts';
import { type Change, lifeNote, nodeSeries, phasesOf, stepsOf } from './lives.ts';
import type { ChartOfReport, NodeOfReport, Report, SeriesOfReport } from './report.ts';
import type { SampledValue } from './samples.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/**
 * A run of the demo as a report.
 *
 * @param decisions those that said something new.
 * @param needs what its pods need at least (`Needs`).
 * @param start the time of its second 0, in milliseconds since 1970.
 */
export function demoReport(
  recording: Recording,
  decisions: readonly TimedDecision[],
  needs: readonly SampledValue[],
  start: number,
): Report {
  const { metadata, seed, summary } = recording;
  const end = summary.seconds;
  const lives = livesOf(recording, end);
  const nodes = lives.map((life) => nodeOf(life, recording));
  const timed = decisions.map(({ at, decision }) => ({ ...decision, at: (at - start) / 1_000 }));
  return {
    title: `Outrigger demo: ${metadata.name}`,
    about: `A simulated cluster on a virtual clock, scaled by the functions that run on AWS. Seed ${seed}.`,
    start: null,
    facts: factsOf(recording),
    picture: mostTelling(timed),
    charts: [
      nodesChart(nodes, recording),
      waitingChart(recording),
      ...costChart(lives, recording, needSeries(needs, start, end)),
      ...planChart(
        timed.map(({ at }) => clockTime(at)),
        decisions,
      ),
    ],
    span: { from: 0, to: end },
    nodes,
    decisions: timed,
  };
}

/** The picture with the most new nodes. */
const mostTelling = (decisions: Report['decisions']): Report['picture'] =>
  decisions.flatMap(({ picture }) => picture ?? []).toSorted((a, b) => newNodes(b) - newNodes(a))[0] ?? null;

const newNodes = ({ groups }: Picture): number =>
  groups.flatMap(({ nodes }) => nodes.filter(({ when }) => when === 'after')).length;

function nodesChart(nodes: readonly NodeOfReport[], { summary }: Recording): ChartOfReport {
  const { start, most, end } = summary.nodes;
  return {
    title: 'Nodes',
    summary: `${counted(start, 'node')} at the start, at most ${most}, ${end} at the end.`,
    kind: 'stacked',
    unit: 'count',
    categories: null,
    series: nodeSeries(nodes, summary.seconds),
  };
}

/** Pods that the scheduler has found no node for, until they have one or are gone. */
function waitingChart({ timeline, summary }: Recording): ChartOfReport {
  const waiting = new Set<string>();
  const changes: Change[] = [];
  const ends = (pod: string, at: number): void => {
    if (waiting.delete(pod)) {
      changes.push({ at, by: -1 });
    }
  };
  const onEntry: Handlers<void> = {
    PodUnschedulable: ({ pod, at }) => {
      if (!waiting.has(pod)) {
        waiting.add(pod);
        changes.push({ at, by: 1 });
      }
    },
    PodBound: ({ pod, at }) => ends(pod, at),
    PodDeleted: ({ pod, at }) => ends(pod, at),
    PodEvicted: ({ pod, at }) => ends(pod, at),
  };
  for (const entry of timeline) {
    handle(onEntry, entry);
  }
  const points = stepsOf(changes, summary.seconds);
  const most = points.reduce((highest, [, value]) => Math.max(highest, value), 0);
  return overTime({
    title: TITLES.pendingPods,
    summary: `At most ${counted(most, 'pod')} at a time; ${waiting.size} at the end.`,
    unit: 'count',
    series: [{ name: 'waiting', tone: 'waiting', points }],
  });
}

/**
 * Cost of the instances per hour, with and without removals, and the lower bound for their pods; none where some price
 * is unknown.
 */
function costChart(
  lives: readonly Life[],
  { nodeGroups, summary }: Recording,
  needs: readonly SeriesOfReport[],
): readonly ChartOfReport[] {
  const { hourly, seconds: end } = summary;
  if (hourly === null) {
    return [];
  }
  const prices = new Map(nodeGroups.map(({ name, price }) => [name, price ?? 0]));
  const added: Change[] = [];
  const removed: Change[] = [];
  for (const { group, launched, gone } of lives) {
    const price = prices.get(group) ?? 0;
    added.push({ at: launched ?? 0, by: price });
    if (gone !== null) {
      removed.push({ at: gone, by: -price });
    }
  }
  return [
    overTime({
      title: 'Cost of the nodes per hour',
      summary: `$${hourly.most.toFixed(2)} at the peak, $${hourly.end.toFixed(2)} at the end${boundText(needs)}.`,
      unit: 'usd per hour',
      series: [
        { name: 'nodes', tone: 'cost', points: stepsOf([...added, ...removed], end) },
        { name: 'without scale-down', tone: 'other', points: stepsOf(added, end) },
        ...needs,
      ],
    }),
  ];
}

const boundText = ([bound]: readonly SeriesOfReport[]): string =>
  mapOptional(bound?.points.at(-1), ([, usd]) => `; the pods that run then need at least $${usd.toFixed(2)}`) ?? '';

const nodeOf = (life: Life, { summary }: Recording): NodeOfReport => ({
  name: life.node ?? life.instance ?? '',
  group: life.group,
  phases: phasesOf(life, summary.seconds),
  note: lifeNote(life, summary.staying, whyNodeStaysInFull),
});

function factsOf({ summary }: Recording): Report['facts'] {
  const { seconds, pods, nodes, pendingToRunning, cost, withoutScaleDown, evictions } = summary;
  const facts = present({
    'virtual time': clockTime(seconds),
    'pods placed': `${pods.placed} of ${pods.created}`,
    'pods still pending': String(pods.pending),
    'pending → running': mapOptional(pendingToRunning, ({ p50, p95 }) => `p50 ${length(p50)}, p95 ${length(p95)}`),
    nodes: `${nodes.start} → ${nodes.most} → ${nodes.end}`,
    'from warm pools': mapOptional(nodes.warm, (warm) => `${warm} of ${nodes.bought} launched`),
    removed: `${nodes.empty} empty, ${nodes.drained} drained`,
    'pods moved': String(evictions.pods),
    cost: mapOptional(
      cost,
      (usd) => `$${usd.toFixed(2)}, without scale-down $${(withoutScaleDown.cost ?? 0).toFixed(2)}`,
    ),
  });
  return Object.entries(facts);
}
