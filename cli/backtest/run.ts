import { withoutLeftovers } from '../../core/drain/leftovers.ts';
import { evaluate } from '../../core/evaluate.ts';
import { counted } from '../../core/model/values/counted.ts';
import type { ClusterName } from '../../core/model/values/names.ts';
import { printableData } from '../../core/model/values/printable.ts';
import { err, ok, type Result } from '../../core/model/values/result.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { durationMs, type EpochMs, formatTime, minutes } from '../../core/model/values/time.ts';
import { roughly } from '../../core/words/when.ts';
import { parseDocuments } from '../../providers/scenario/documents.ts';
import { EXIT } from '../exit-codes.ts';
import type { StoredFlags } from '../explain/flags.ts';
import {
  type AskedOfStored,
  askStored,
  type ClusterStores,
  fail,
  print,
  type StoredAnswer,
} from '../explain/stored.ts';
import { keptAs } from '../history/kept.ts';
import type { Moment } from '../history/period.ts';
import { writeReport } from '../html/write-report.ts';
import { ineffectiveSettings, readReplaySettings, type ReplaySettings } from '../replay/settings.ts';
import { readDocument, tell } from '../simulate/read-document.ts';
import { progressOn } from '../terminal/progress.ts';
import { displayName, readSource } from '../terminal/sources.ts';
import type { TerminalStreams } from '../terminal/streams.ts';
import { clockTime } from '../terminal/text.ts';
import { backtest } from './backtest.ts';
import { writeBacktest, type BacktestDocument, type BacktestSource } from './document.ts';
import { observationsOf } from './from-history.ts';
import { observePeriod } from './observe.ts';
import type { HistoryObservation, ObservedPeriod } from './observed.ts';
import { backtestReport } from './report.ts';
import { tellBacktest } from './text.ts';

export interface BacktestFlags extends Omit<StoredFlags, 'cluster'> {
  readonly cluster?: string;
  /** Absent: seven days; of files, all. */
  readonly last?: Moment;
  /** Absent: now; of files, the last one. */
  readonly until?: Moment;
  readonly set: readonly string[];
  readonly seed: number;
  readonly html?: string;
}

const WEEK = minutes(7 * 24 * 60);
/** Reading a week of large scenarios takes minutes. */
const READING_TIMEOUT = minutes(20);
/** A shorter history shows no removal: a node is unneeded for ten minutes before. */
const SHORTEST = minutes(10);

/** A period of a history, and where it comes from. */
interface Found extends Omit<BacktestSource, 'settings'> {
  readonly period: ObservedPeriod;
}

/**
 * Plays the history of a cluster, or scenarios in files, in the simulation: as it was, and with other options.
 *
 * @returns the exit code: 0, 1 without a history or a page, or 2 when an option or a file is invalid.
 */
export async function backtestCommandLine(
  files: readonly string[],
  flags: BacktestFlags,
  now: AskedOfStored['now'],
  streams: TerminalStreams,
): Promise<number> {
  const settings = readReplaySettings(flags.set);
  const wrong = [...(settings.ok ? [] : settings.error), ...sourceProblems(files, flags)];
  if (!settings.ok || wrong.length > 0) {
    return await fail(
      EXIT.invalid,
      wrong.map((line) => `error: ${line}`),
      streams,
    );
  }
  const found = files.length > 0 ? await fromFiles(files, flags, streams) : await fromTable(flags, now, streams);
  return found.ok ? await play(found.value, settings.value, flags, streams) : found.error;
}

function sourceProblems(files: readonly string[], { cluster }: BacktestFlags): readonly string[] {
  if (files.length > 0 && cluster !== undefined) {
    return ['expected --cluster or files with scenarios, found both: leave out one of them'];
  }
  return files.length === 0 && cluster === undefined
    ? ['expected --cluster NAME, or files with scenarios of different times, found neither']
    : [];
}

/** Reads the scenarios of files, in the order of their times. */
async function fromFiles(
  files: readonly string[],
  { last, until }: BacktestFlags,
  streams: TerminalStreams,
): Promise<Result<Found, number>> {
  const scenarios: Scenario[] = [];
  for (const file of files) {
    const read = await scenariosIn(file, streams);
    if (read === null) {
      return err(EXIT.invalid);
    }
    scenarios.push(...read.map(withoutLeftovers));
  }
  const latest = scenarios.reduce((time, { now }) => Math.max(time, now), 0) as EpochMs;
  const end = until?.(latest) ?? latest;
  const since = last?.(end) ?? -Infinity;
  const observations = scenarios
    .filter(({ now }) => now >= since && now <= end)
    .toSorted((a, b) => a.now - b.now)
    .map((scenario): HistoryObservation => ({
      at: scenario.now,
      scenario,
      decision: evaluate(scenario),
      isMadeAgain: true,
    }));
  const period = await observePeriod(observations);
  const problem = problemOf(period);
  if (period === null || problem !== null) {
    const place = `${files.map(displayName).join(', ')}: ${counted(observations.length, 'scenario')}`;
    const advice =
      'Take one every few minutes with outrigger snapshot, or give --cluster for the history in its table.';
    return err(await fail(EXIT.invalid, [`error: ${place}: ${problem}. ${advice}`], streams));
  }
  const wanted = last === undefined ? null : { since: since as EpochMs, until: end };
  return ok({ period, cluster: null, mode: 'act', wanted });
}

/** Prints errors. Warnings are about scenarios that are written by hand. @returns `null` where something is wrong. */
async function scenariosIn(file: string, { stdin, stderr }: TerminalStreams): Promise<readonly Scenario[] | null> {
  const source = await readSource(file, stdin);
  if (!source.ok) {
    await tell([{ line: null, text: source.error }], file, stderr);
    return null;
  }
  const documents = parseDocuments(source.value);
  const read = documents.map((document, index) =>
    readDocument(document, documents.length > 1 ? `document ${index + 1}: ` : '', 'outrigger'),
  );
  for (const one of read) {
    await tell(one.ok ? [] : one.error, file, stderr);
  }
  return read.every((one) => one.ok) ? read.flatMap((one) => (one.ok ? one.value.scenario : [])) : null;
}

/** The problem of a period, in words; `null` without one. */
function problemOf(period: ObservedPeriod | null): string | null {
  const expected = `expected scenarios over ${roughly(SHORTEST)} at least`;
  if (period === null) {
    return `${expected}, found fewer than two of different times`;
  }
  const lasts = durationMs(period.until - period.since);
  return lasts < SHORTEST ? `${expected}, found ${roughly(lasts)}` : null;
}

/** An answer about a period, which is printed once it is played. */
interface FoundAnswer extends StoredAnswer {
  readonly found: Found;
}

async function fromTable(
  flags: BacktestFlags,
  now: AskedOfStored['now'],
  streams: TerminalStreams,
): Promise<Result<Found, number>> {
  const { cluster = '', ...others } = flags;
  const answer = async (stored: ClusterStores): Promise<Result<FoundAnswer, readonly string[]>> => {
    const found = await findPeriod(stored, flags);
    return found.ok ? ok({ kind: 'Backtest', explanation: {}, text: () => '', found: found.value }) : found;
  };
  const asked = await askStored({ flags: { ...others, cluster }, now, answer, timeoutMs: READING_TIMEOUT }, streams);
  return asked.ok ? ok(asked.value.found) : asked;
}

async function findPeriod(
  stored: ClusterStores,
  { last, until: given }: BacktestFlags,
): Promise<Result<Found, readonly string[]>> {
  const { cluster, history, now, signal } = stored;
  const until = given?.(now) ?? now;
  const since = last?.(until) ?? ((until - WEEK) as EpochMs);
  const { name, mode } = await keptAs(stored);
  const period = await observePeriod(observationsOf(history, name, { since, until }, signal));
  const problem = problemOf(period);
  if (period === null || problem !== null) {
    return err([whyTooThin(cluster, since, until, period)]);
  }
  return ok({ period, cluster, mode, wanted: { since, until } });
}

function whyTooThin(cluster: ClusterName, since: EpochMs, until: EpochMs, period: ObservedPeriod | null): string {
  const [covered, wanted] = [period === null ? 0 : period.until - period.since, until - since].map((ms) =>
    Math.floor(ms / minutes(1)),
  );
  const advice =
    'Give a longer --last or an earlier --until. Decisions are kept for the time of the option decisionHistory, and in large clusters some without what they were made from (docs/history.md).';
  return `error: The history of cluster ${cluster} from ${formatTime(since)} to ${formatTime(until)}: expected decisions with what they were made from over ${roughly(SHORTEST)} at least, found such for ${covered} of ${wanted} minutes. ${advice}`;
}

/** Runs the simulations, and prints and draws what came of them. */
async function play(
  { period, ...source }: Found,
  settings: ReplaySettings,
  { seed, html, output }: BacktestFlags,
  streams: TerminalStreams,
): Promise<number> {
  ineffectiveSettings(period.last, settings).forEach((line) => streams.stderr.write(`Warning: ${line}\n`));
  const progress = progressOn(streams.stderr);
  const lasts = (period.until - period.since) / 1_000;
  const played = await backtest(period, {
    name: source.cluster ?? period.last.name,
    seed,
    settings,
    onTime: (run, at) =>
      progress.say(() => `Simulating ${RUNS[run]}: ${clockTime(at)} of ${clockTime(lasts)} of virtual time …`),
  });
  progress.clear();
  const document = printableData(writeBacktest(played, { ...source, settings })) as BacktestDocument;
  const isWritten = html === undefined || (await writeReport(backtestReport(document, played), html, streams.stderr));
  const code = await print(
    { kind: 'Backtest', explanation: document, text: (style) => tellBacktest(document, played, style) },
    output,
    streams,
  );
  return isWritten ? code : EXIT.failed;
}

const RUNS = { base: 'with its own options', other: 'with --set' } as const;
