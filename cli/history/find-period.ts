import { withoutLeftovers } from '@outrigger/core/drain/leftovers.ts';
import { evaluate } from '@outrigger/core/evaluate.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { err, ok, type Result, okValues } from '@outrigger/core/model/values/result.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { durationMs, type EpochMs, formatTime, minutes } from '@outrigger/core/model/values/time.ts';
import type { DecisionHistory, HistoryPeriod } from '@outrigger/core/ports/decision-history.ts';
import { roughly } from '@outrigger/core/words/when.ts';
import { parseDocuments } from '@outrigger/providers/scenario/documents.ts';
import { textIf } from '@outrigger/core/model/values/optional.ts';
import { EXIT } from '../exit-codes.ts';
import type { StoredFlags } from '../explain/flags.ts';
import { type AnswerResult, type AskedOfStored, askStored, type ClusterStores } from '../explain/stored.ts';
import { readDocument, tell } from '../simulate/read-document.ts';
import { displayName, readSource } from '../terminal/sources.ts';
import { fail, type TerminalStreams } from '../terminal/streams.ts';
import { keptAs, type KeptAs } from './kept.ts';
import { observePeriod } from './observe.ts';
import type { HistoryObservation, ObservedPeriod } from './observed.ts';
import type { Moment } from './period.ts';

/** The place of a history, and its wanted part. */
export interface PeriodFlags extends Omit<StoredFlags, 'cluster'> {
  readonly cluster?: string;
  /** Absent: as the command has it; of files, all. */
  readonly last?: Moment;
  /** Absent: now; of files, the last one. */
  readonly until?: Moment;
}

/** A period of a history, and where it comes from. */
export interface FoundPeriod extends Pick<KeptAs, 'mode'> {
  readonly period: ObservedPeriod;
  /** `null` of files. */
  readonly cluster: ClusterName | null;
  /** The wanted time. */
  readonly wanted: { readonly since: EpochMs; readonly until: EpochMs };
}

interface PeriodDefaults {
  readonly now: AskedOfStored['now'];
  /** The beginning of a period without a given one, from its end. */
  readonly usually: Moment;
}

/** Reading a week of large scenarios takes minutes. */
const READING_TIMEOUT = minutes(20);
/** A shorter history shows no removal: a node is unneeded for ten minutes before. */
const SHORTEST = minutes(10);

/**
 * Reads a period from the table of a cluster, or from files with scenarios of different times.
 *
 * @returns where there is none, the exit code, after an error was printed.
 */
export async function findPeriod(
  files: readonly string[],
  flags: PeriodFlags,
  { now, usually }: PeriodDefaults,
  streams: TerminalStreams,
): Promise<Result<FoundPeriod, number>> {
  const wrong = sourceProblems(files, flags).map((line) => `error: ${line}`);
  if (wrong.length > 0) {
    return err(await fail(EXIT.invalid, wrong, streams));
  }
  if (files.length > 0) {
    return await fromFiles(files, flags, streams);
  }
  const { cluster = '', ...others } = flags;
  const answer = (stored: ClusterStores): Promise<AnswerResult<FoundPeriod>> => periodIn(stored, flags, usually);
  return await askStored({ flags: { ...others, cluster }, now, answer, timeoutMs: READING_TIMEOUT }, streams);
}

/** Problems of the source of a history, in words. */
export function sourceProblems(files: readonly string[], { cluster }: PeriodFlags): readonly string[] {
  if (files.length > 0 && cluster !== undefined) {
    return ['expected --cluster or files with scenarios, found both: leave out one of them'];
  }
  if (files.length === 0 && cluster === undefined) {
    return ['expected --cluster NAME, or files with scenarios of different times, found neither'];
  }
  return [];
}

/** Reads the scenarios of files, in the order of their times. */
async function fromFiles(
  files: readonly string[],
  { last, until }: PeriodFlags,
  streams: TerminalStreams,
): Promise<Result<FoundPeriod, number>> {
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
  const since = last?.(end);
  const observations = scenarios
    .filter(({ now }) => now >= (since ?? now) && now <= end)
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
  const wanted = since === undefined ? period : { since, until: end };
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
    readDocument(document, textIf(documents.length > 1, `document ${index + 1}: `), 'outrigger'),
  );
  const wrong = read.filter((one) => !one.ok);
  for (const { error } of wrong) {
    await tell(error, file, stderr);
  }
  if (wrong.length > 0) {
    return null;
  }
  return okValues(read).map(({ scenario }) => scenario);
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

async function periodIn(
  stored: ClusterStores,
  { last, until: given }: PeriodFlags,
  usually: Moment,
): Promise<AnswerResult<FoundPeriod>> {
  const { cluster, history, now, signal } = stored;
  const until = given?.(now) ?? now;
  const since = (last ?? usually)(until);
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

/** Scenarios that are read at a time: each has up to 350 KB, compressed. */
const AT_ONCE = 4;

/** The kept decisions of a period in the order of their times. Of their scenarios a few are in memory at a time. */
export async function* observationsOf(
  history: Pick<DecisionHistory, 'decisions' | 'get'>,
  cluster: ClusterName,
  period: HistoryPeriod,
  signal?: AbortSignal,
): AsyncGenerator<HistoryObservation> {
  const decisions = (await history.decisions(cluster, period, signal)).toReversed();
  for (const some of chunksOf(decisions, AT_ONCE)) {
    const read = some.map(async ({ id, at, decision, scenario }) => ({
      at,
      decision,
      scenario: scenario === 'kept' ? ((await history.get(cluster, id, signal))?.scenario ?? null) : null,
    }));
    yield* await Promise.all(read);
  }
}
