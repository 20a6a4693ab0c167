import { err, ok, type Result } from '../../core/model/values/result.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { explainInvalid } from '../../providers/manifest/invalid.ts';
import { parseDocuments } from '../../providers/scenario/documents.ts';
import { readScenario } from '../../providers/scenario/scenario.ts';
import type { StoredFlags } from '../explain/flags.ts';
import {
  type Answer,
  answerFromStored,
  type AskedOfStored,
  fail,
  MALFORMED,
  print,
  type Stored,
} from '../explain/stored.ts';
import { keptAs } from '../history/kept.ts';
import type { Streams } from '../terminal/streams.ts';
import { displayName, readSource } from '../terminal/sources.ts';
import { type Replay, replayRecord, replayScenario } from './replay.ts';
import { readSettings, type Settings, settingsInVain } from './settings.ts';
import { tellReplay } from './text.ts';

export interface ReplayFlags extends Omit<StoredFlags, 'cluster'> {
  readonly cluster?: string;
  readonly set: readonly string[];
}

/** A decision of the history; anything else is a file. */
const ID = /^\d{1,12}$/;

/**
 * Replays a decision of the history, or a scenario in a file, and prints what would have been decided with other options.
 *
 * @returns the exit code: 0, 1 where the decision cannot be replayed, or 2 when an option or the file is invalid.
 */
export async function replay(
  given: string,
  flags: ReplayFlags,
  now: AskedOfStored['now'],
  streams: Streams,
): Promise<number> {
  const settings = readSettings(flags.set);
  if (!settings.ok) {
    return await fail(
      MALFORMED,
      settings.error.map((line) => `error: ${line}`),
      streams,
    );
  }
  const warn = (line: string): void => void streams.stderr.write(`Warning: ${line}\n`);
  const { cluster, ...others } = flags;
  if (ID.test(given)) {
    if (cluster === undefined) {
      return await fail(MALFORMED, ["error: required option '--cluster <name>' not specified"], streams);
    }
    const answer = ofHistory.bind(null, given, settings.value);
    return await answerFromStored({ flags: { ...others, cluster }, now, answer }, streams);
  }
  const scenario = await scenarioIn(given, streams);
  if (!scenario.ok) {
    return await fail(
      MALFORMED,
      scenario.error.map((line) => `${displayName(given)}: ${line}`),
      streams,
    );
  }
  settingsInVain(scenario.value, settings.value).forEach(warn);
  return await print(answerOf(replayScenario(scenario.value, settings.value)), flags.output, streams);
}

async function ofHistory(id: string, settings: Settings, stored: Stored): Promise<Result<Answer, readonly string[]>> {
  const { cluster, history, signal, warn } = stored;
  const record = await history.get((await keptAs(stored)).name, id, signal);
  if (record === null) {
    return err([`error: No decision ${id} of cluster ${cluster} is kept: outrigger history lists those that are`]);
  }
  const { scenario, withoutScenario } = record;
  if (scenario === null) {
    return err([
      `error: Decision ${id} cannot be replayed: what it was made from was ${WHY_NOT_KEPT[withoutScenario!]}. It did: ${record.did}`,
    ]);
  }
  const replayed = replayRecord(record, scenario, settings);
  if (replayed.sameBytes === false) {
    warn('this version of Outrigger does not decide the same as the one that made the decision');
  }
  settingsInVain(scenario, settings).forEach(warn);
  return ok(answerOf(replayed));
}

const WHY_NOT_KEPT = {
  'too large': 'too large to be kept',
  sampled: 'not kept, as decisions were sampled',
} as const;

const answerOf = (replayed: Replay): Answer => ({
  kind: 'Replay',
  explanation: replayed,
  text: (style) => tellReplay(replayed, style),
});

/** The only scenario in a file, or what is wrong with it. */
async function scenarioIn(file: string, { stdin }: Streams): Promise<Result<Scenario, readonly string[]>> {
  const source = await readSource(file, stdin);
  if (!source.ok) {
    return err([source.error]);
  }
  const [document, ...others] = parseDocuments(source.value);
  if (document === undefined || others.length > 0) {
    return err([
      `expected one Scenario, found ${document === undefined ? 'nothing' : `${others.length + 1} documents: put it into a file of its own`}`,
    ]);
  }
  const { content } = document;
  if (content.kind === 'malformed') {
    return err(content.errors.map(({ line, message }) => `${line === null ? '' : `line ${line}: `}${message}`));
  }
  const scenario = readScenario(content.value, 'outrigger');
  return scenario.ok ? scenario : err(scenario.error.map(explainInvalid));
}
