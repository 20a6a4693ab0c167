import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { roughly } from '@outrigger/core/words/when.ts';
import { type CoveredPeriod, coveredPeriod } from '../history/coverage.ts';
import type { FoundPeriod } from '../history/find-period.ts';
import { type ReplaySettings, writeSettings } from '../replay/settings.ts';
import type { Backtest, BacktestedGroup } from './backtest.ts';
import { type BacktestFigures, sum } from './figures.ts';
import type { Peer } from './peer.ts';
import { simplifiedNote } from './workloads.ts';

/** A backtest for programs. */
export interface BacktestDocument extends CoveredPeriod {
  /** The autoscaler that the other run follows; `null`: Outrigger. */
  readonly peer: Peer | null;
  readonly set: Readonly<Record<string, unknown>>;
  readonly history: BacktestFigures;
  readonly base: BacktestFigures;
  readonly other: BacktestFigures | null;
  /** By how much the base run differs from the history, and the other run from the base run: 0.02 is 2 % more. */
  readonly baseBesideHistory: Differences;
  readonly otherBesideBase: Differences | null;
  readonly groups: readonly BacktestedGroup[];
  readonly interruptions: number;
  /** Limits of the figures, in sentences. */
  readonly notes: readonly string[];
}

export interface Differences {
  readonly nodeHours: number | null;
  readonly cpuHours: number | null;
  readonly usd: number | null;
}

export interface BacktestSource extends Omit<FoundPeriod, 'period'> {
  readonly settings: ReplaySettings;
  readonly peer: Peer | null;
}

export function writeBacktest(backtest: Backtest, source: BacktestSource): BacktestDocument {
  const { period, history, base, other, groups, played } = backtest;
  const { settings, peer } = source;
  return {
    ...coveredPeriod(period, source),
    peer,
    set: writeSettings(settings),
    history: history.figures,
    base: base.figures,
    other: other?.figures ?? null,
    baseBesideHistory: differencesOf(base.figures, history.figures),
    otherBesideBase: mapOptional(other, ({ figures }) => differencesOf(figures, base.figures)),
    groups,
    interruptions: played.interruptions,
    notes: notesOn(backtest, source),
  };
}

const differencesOf = (one: BacktestFigures, beside: BacktestFigures): Differences => {
  const share = (a: number | null, b: number | null): number | null =>
    a === null || b === null || b === 0 ? null : Number((a / b - 1).toFixed(4));
  return {
    nodeHours: share(one.nodeHours, beside.nodeHours),
    cpuHours: share(one.cpuHours, beside.cpuHours),
    usd: share(one.usd, beside.usd),
  };
};

/** A base run that differs by more does not reproduce the history. */
const FAITHFUL = 0.03;

/** Everything that may make a figure wrong, in sentences. */
function notesOn(
  { period, history, base, groups, played }: Backtest,
  { mode, peer }: BacktestSource,
): readonly string[] {
  const { load, leftOut, fixed } = played;
  const differs = Math.abs(differencesOf(base.figures, history.figures).cpuHours ?? 0);
  const sizes = new Set(load.groups.filter(({ name }) => !fixed.has(name)).map(({ capacity }) => capacity['cpu'] ?? 0));
  const fixedNodes = sum(load.groups.filter(({ name }) => fixed.has(name)).map(({ desiredSize }) => desiredSize));
  const unpriced = groups.filter(({ price }) => price === null).map(({ group }) => group);
  const notes: readonly (readonly [applies: boolean, text: string])[] = [
    [
      differs > FAITHFUL,
      `The base run has ${(differs * 100).toFixed(1)} % more or fewer CPU-hours than the history: it does not reproduce what happened, so judge the other options with care.`,
    ],
    [
      true,
      `Pods that began and ended between two kept decisions are unknown. A decision is kept if it differs from the last one; the longest time between two was ${roughly(period.longestGap)}.`,
    ],
    [
      period.withoutScenario > 0,
      `Kept without what it was made from: ${counted(period.withoutScenario, 'decision')}. The ends of pods in between are estimates.`,
    ],
    [
      !period.hasDecisions,
      'Files have no decisions but those that are made again from them: evictions and lost work of the history are unknown, and so are interruptions without a notice.',
    ],
    [
      mode === 'observe',
      'Outrigger observed while another autoscaler acted: the history is that of the other, and the base run is what Outrigger would have done.',
    ],
    [
      peer === 'cluster-autoscaler',
      'The run of Cluster Autoscaler has its rules and defaults. Its loop looks every 10 seconds, which the run does not wait for: its pods would wait some seconds longer.',
    ],
    [
      peer === 'karpenter',
      'The run of Karpenter has no node groups: it launches any instance type of the list in docs/backtest.md, at prices in proportion to those of the node groups, and has the defaults of a NodePool. Limits and minimums of the node groups do not hold.',
    ],
    [
      period.optionChanges > 0,
      `The options changed ${counted(period.optionChanges, 'time')} in the period: both runs, and USD of the history, have those of its last decision.`,
    ],
    [
      sizes.size > 1,
      'Node groups have nodes of different sizes, and equal choices between them may be made otherwise in each run: compare CPU-hours and USD, not node-hours.',
    ],
    [fixedNodes > 0, `Never removed in a run, and in no figure: ${counted(fixedNodes, 'node')} in no node group.`],
    [leftOut.length > 0, `Nothing shows the nodes of ${firstNames(leftOut)}: not simulated.`],
    [
      load.commitments?.some(({ kind }) => kind !== 'Unread') === true,
      'Nodes that cost nothing more, as they are paid for in any case (reservedCapacity), count at list price in USD: the difference between two runs is real only where other nodes differ.',
    ],
    [unpriced.length > 0, `USD is without ${firstNames(unpriced)}, whose price is unknown.`],
  ];
  return [...notes.filter(([applies]) => applies).map(([, text]) => text), ...simplifiedNote(period)];
}
