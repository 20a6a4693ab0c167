import { required } from '@outrigger/core/model/values/existing.ts';
import { existsSync } from 'node:fs';
import { err, ok } from '@outrigger/core/model/values/result.ts';
import { EXIT } from '../exit-codes.ts';
import type { StoredFlags } from '../explain/flags.ts';
import {
  type AnswerResult,
  type StoredAnswer,
  answerFromStored,
  type AskedOfStored,
  print,
  type ClusterStores,
} from '../explain/stored.ts';
import { keptAs } from '../history/kept.ts';
import { readOnlyScenario } from '../simulate/read-document.ts';
import { fail, type TerminalStreams } from '../terminal/streams.ts';
import { type Replay, replayRecord, replayScenario } from './replay.ts';
import { readReplaySettings, type ReplaySettings, ineffectiveSettings } from './settings.ts';
import { tellReplay } from './text.ts';

export interface ReplayFlags extends Omit<StoredFlags, 'cluster'> {
  readonly cluster?: string;
  readonly set?: readonly string[];
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
  streams: TerminalStreams,
  now?: AskedOfStored['now'],
): Promise<number> {
  const settings = readReplaySettings(flags.set);
  if (!settings.ok) {
    return await fail(
      EXIT.invalid,
      settings.error.map((line) => `error: ${line}`),
      streams,
    );
  }
  const warn = (line: string): void => void streams.stderr.write(`Warning: ${line}\n`);
  const { cluster, ...others } = flags;
  if (ID.test(given)) {
    if (cluster === undefined) {
      return await fail(EXIT.invalid, ["error: required option '--cluster <name>' not specified"], streams);
    }
    const answer = ofHistory.bind(null, given, settings.value);
    return await answerFromStored({ flags: { ...others, cluster }, now, answer }, streams);
  }
  if (given !== '-' && !existsSync(given)) {
    return await fail(EXIT.invalid, [`error: ${given} is neither the number of a decision nor a file`], streams);
  }
  const scenario = await readOnlyScenario(given, streams);
  if (scenario === null) {
    return EXIT.invalid;
  }
  ineffectiveSettings(scenario, settings.value).forEach(warn);
  return await print(answerOf(replayScenario(scenario, settings.value)), flags.output, streams);
}

async function ofHistory(id: string, settings: ReplaySettings, stored: ClusterStores): Promise<AnswerResult> {
  const { cluster, history, signal, warn } = stored;
  const record = await history.get((await keptAs(stored)).name, id, signal);
  if (record === null) {
    return err([`error: No decision ${id} of cluster ${cluster} is kept: outrigger history lists those that are`]);
  }
  const { scenario, withoutScenario } = record;
  if (scenario === null) {
    const why = WHY_NOT_KEPT[required(withoutScenario, 'why no scenario is kept')];
    return err([`error: Decision ${id} cannot be replayed: what it was made from was ${why}. It did: ${record.did}`]);
  }
  const replayed = replayRecord(record, scenario, settings);
  if (replayed.sameBytes === false) {
    warn('this version of Outrigger does not decide the same as the one that made the decision');
  }
  ineffectiveSettings(scenario, settings).forEach(warn);
  return ok(answerOf(replayed));
}

const WHY_NOT_KEPT = {
  'too large': 'too large to be kept',
  sampled: 'not kept, as decisions were sampled',
} as const;

const answerOf = (replayed: Replay): StoredAnswer => ({
  kind: 'Replay',
  explanation: replayed,
  text: (style) => tellReplay(replayed, style),
});
