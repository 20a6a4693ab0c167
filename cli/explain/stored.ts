import { present } from '@outrigger/core/model/values/present.ts';
import { isTerminal, styleOf } from '../terminal/style.ts';
import type { ClusterConfig } from '../../config/schema.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import { printable, printableData } from '@outrigger/core/model/values/printable.ts';
import { type ClusterName, clusterName } from '@outrigger/core/model/values/names.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { DecisionHistory } from '@outrigger/core/ports/decision-history.ts';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import type { PauseStore } from '@outrigger/core/ports/pause-store.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import { createDynamoDbClient } from '@outrigger/providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '@outrigger/providers/dynamodb/drains.ts';
import { createDynamoDbHistory } from '@outrigger/providers/dynamodb/history.ts';
import { createDynamoDbStore } from '@outrigger/providers/dynamodb/store.ts';
import { writeExplanation } from '@outrigger/providers/schema/explanation.ts';
import { EXIT, InvalidSettings } from '../exit-codes.ts';
import { configuredCluster, optionsOf } from '../live/configured.ts';
import { regionFor } from '../live/region.ts';
import { errorText } from '../local/log.ts';
import { jsonText } from '../terminal/json-text.ts';
import { withProgress } from '../terminal/progress.ts';
import { fail, type TerminalStreams, write } from '../terminal/streams.ts';
import type { Style } from '../terminal/text.ts';
import type { StoredFlags, TableFlags } from './flags.ts';
import { tableOfStack } from './table.ts';

/** The answer about a cluster, once its stored state is loaded. */
export interface StoredAnswer {
  readonly kind: Parameters<typeof writeExplanation>[0];
  readonly explanation: object;
  /** @param terminal is the output one? Otherwise lines may be longer than the width. */
  readonly text: (style: Style, terminal?: boolean) => string;
  /** Is a part of it an error? */
  readonly failed?: boolean;
}

/** The stored state of a cluster, for reading; only pauses are written. */
export interface ClusterStores {
  readonly cluster: ClusterName;
  readonly table: string;
  readonly store: Pick<StateStore, 'load' | 'lastDecision' | keyof PauseStore>;
  readonly drains: Pick<DrainStore, 'list'>;
  readonly history: Omit<DecisionHistory, 'add'>;
  /** Options of the functions, as far as the configuration beside the command states them. */
  readonly options: Options;
  readonly now: EpochMs;
  readonly signal: AbortSignal;
  /** Says on standard error what cannot be read, or is not as it should be. */
  readonly warn: (line: string) => void;
}

/** The answer, or why there is none: one line each. */
export type AnswerResult<A = StoredAnswer> = Result<A, readonly string[]>;

export interface AskedOfStored<A = StoredAnswer> {
  readonly flags: StoredFlags;
  /** Absent: the clock of the system. */
  readonly now?: (() => EpochMs) | undefined;
  readonly answer: (stored: ClusterStores) => Promise<AnswerResult<A>>;
  /** How long reading may take, in milliseconds; absent: 30 s. */
  readonly timeoutMs?: number;
}

/** How long reading the state may take. */
const TIMEOUT_MS = 30_000;

/**
 * Reads what is stored of a cluster, and prints an answer. Nothing of the cluster is read, and nothing is changed but by the answer.
 *
 * @returns the exit code: 0, 1 without an answer, or 2 when the configuration is wrong.
 */
export async function answerFromStored(
  asked: AskedOfStored,
  streams: Pick<TerminalStreams, 'stdout' | 'stderr'>,
): Promise<number> {
  const answered = await askStored(asked, streams);
  if (!answered.ok) {
    return answered.error;
  }
  return await print(answered.value, asked.flags.output, streams);
}

/**
 * Reads what is stored of a cluster for an answer, and prints why there is none.
 *
 * @returns the exit code where there is no answer.
 */
export async function askStored<A>(
  { flags, answer, timeoutMs = TIMEOUT_MS, now: clock = systemClock.now }: AskedOfStored<A>,
  { stderr }: Pick<TerminalStreams, 'stderr'>,
): Promise<Result<A, number>> {
  const found = configuredCluster(flags);
  if (!found.ok) {
    return err(await fail(EXIT.invalid, found.error, { stderr }));
  }
  const warn = (line: string): void => void stderr.write(`Warning: ${printable(line)}\n`);
  try {
    const answered = await withProgress(stderr, `Reading what is stored of cluster ${flags.cluster} …`, async () => {
      const now = clock();
      const opened = await openStores(flags, found.value?.cluster ?? null, () => now, warn);
      if (!opened.ok) {
        return err([`error: ${opened.error}`]);
      }
      return await answer({ ...opened.value, now, signal: AbortSignal.timeout(timeoutMs), warn }).finally(
        opened.value.close,
      );
    });
    return answered.ok ? answered : err(await fail(EXIT.failed, answered.error, { stderr }));
  } catch (error) {
    if (error instanceof InvalidSettings) {
      return err(await fail(EXIT.invalid, [`error: ${error.message}`], { stderr }));
    }
    const why = `error: The state of cluster ${flags.cluster} cannot be read: ${errorText(error)}`;
    return err(await fail(EXIT.failed, [why], { stderr }));
  }
}

/** Prints an answer, and returns the exit code. */
export async function print(
  { kind, explanation, text, failed = false }: StoredAnswer,
  output: StoredFlags['output'],
  { stdout }: Pick<TerminalStreams, 'stdout'>,
): Promise<number> {
  if (output === 'json') {
    await write(stdout, jsonText(printableData(writeExplanation(kind, explanation))));
  } else {
    await write(stdout, text(styleOf(stdout), isTerminal(stdout)));
  }
  return failed ? EXIT.failed : EXIT.done;
}

/** The stored state of a cluster, until it is closed. */
export interface OpenStores extends Omit<ClusterStores, 'now' | 'signal' | 'warn'> {
  readonly close: () => void;
}

/**
 * Finds the table of a cluster, and opens it.
 *
 * @returns why there is no table, in words
 * @throws where CloudFormation cannot be asked
 * @throws InvalidSettings where no region is known
 */
export async function openStores(
  flags: TableFlags,
  config: ClusterConfig | null,
  now: () => EpochMs,
  warn: (line: string) => void,
): Promise<Result<OpenStores, string>> {
  const found = await tableFor(flags, flags.region ?? config?.region ?? null);
  if (!found.ok) {
    return found;
  }
  const { table, region } = found.value;
  const endpoint = flags.dynamodbEndpoint ?? flags.awsEndpoint;
  const client = createDynamoDbClient(present({ region, endpoint }));
  const unreadable = (place: string): void => warn(`${place} of table ${table} cannot be read, and is left out`);
  return ok({
    cluster: clusterName(flags.cluster),
    table,
    store: createDynamoDbStore({ client, table, onQuarantine: ({ place: of }) => unreadable(of) }),
    drains: createDynamoDbDrains({ client, table, onUnreadable: ({ key }) => unreadable(key) }),
    history: createDynamoDbHistory({ client, table, onUnreadable: ({ key }) => unreadable(key), now }),
    options: optionsOf(config, 'options'),
    close: () => client.destroy(),
  });
}

/** The table that the command line names, or else the table of the stack, and its region. DynamoDB Local has no region. */
async function tableFor(
  { cluster, table, dynamodbEndpoint, awsEndpoint }: TableFlags,
  given: string | null,
): Promise<Result<{ readonly table: string; readonly region: string | null }, string>> {
  if (table !== undefined && dynamodbEndpoint !== undefined) {
    return ok({ table, region: given });
  }
  const region = await regionFor(given);
  if (table !== undefined) {
    return ok({ table, region });
  }
  const found = await tableOfStack(cluster, region, awsEndpoint);
  return found.ok ? ok({ table: found.value, region }) : found;
}
