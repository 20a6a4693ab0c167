import { WriteStream } from 'node:tty';
import pc from 'picocolors';
import type { Remembered } from '../../core/explanation/remembered.ts';
import { optionsOver, writeGivenOptions } from '../../config/options.ts';
import type { ClusterConfig } from '../../config/schema.ts';
import { defaultOptions } from '../../core/model/options.ts';
import { printable, printableData } from '../../core/model/values/printable.ts';
import { clusterName } from '../../core/model/values/names.ts';
import { err, ok, type Result } from '../../core/model/values/result.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../providers/dynamodb/drains.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { loadRemembered } from '../../providers/remembered.ts';
import { writeExplanation } from '../../providers/schema/explanation.ts';
import { readOptions } from '../../providers/scenario/read-options.ts';
import { configuredCluster } from '../live/configured.ts';
import { noCredentials } from '../live/profile.ts';
import { errorText } from '../local/log.ts';
import { type Streams, write } from '../terminal/streams.ts';
import type { Style } from '../terminal/text.ts';
import type { StoredFlags } from './flags.ts';
import { tableOfStack } from './table.ts';

const EXPLAINED = 0;
/** Nothing is known of what was asked about, or the state cannot be read. */
const UNKNOWN = 1;
/** The command line or the configuration is wrong. */
export const MALFORMED = 2;

/** What is said about a cluster, once its state is loaded. */
export interface Answer {
  readonly kind: Parameters<typeof writeExplanation>[0];
  readonly explanation: object;
  readonly text: (style: Style) => string;
}

export interface Asked {
  readonly flags: StoredFlags;
  readonly now: () => EpochMs;
  /** @returns why there is no answer: one line each */
  readonly answer: (remembered: Remembered) => Result<Answer, readonly string[]>;
}

/** How long reading the state may take. */
const TIMEOUT_MS = 30_000;
/** What takes longer says that it is at work. */
const QUIET_MS = 1_000;
/** Characters in a line where the output is no terminal. */
const DEFAULT_WIDTH = 80;

/**
 * Reads what is stored of a cluster, and prints an answer. Nothing of the cluster is read, and nothing is changed.
 *
 * @returns the exit code: 0, 1 without an answer, or 2 when the configuration is wrong.
 */
export async function explainStored(
  { flags, now, answer }: Asked,
  { stdout, stderr }: Pick<Streams, 'stdout' | 'stderr'>,
): Promise<number> {
  const fail = async (code: number, lines: readonly string[]): Promise<number> => {
    await write(stderr, lines.map((line) => `${printable(line)}\n`).join(''));
    return code;
  };
  const found = configuredCluster(flags);
  if (!found.ok) {
    return await fail(MALFORMED, found.error);
  }
  const working = setTimeout(() => stderr.write(`Reading the state of cluster ${flags.cluster} …\n`), QUIET_MS);
  let remembered: Result<Remembered, string>;
  try {
    remembered = await rememberedOf(flags, found.value?.cluster ?? null, now(), (line) => {
      stderr.write(`Warning: ${printable(line)}\n`);
    });
  } catch (error) {
    return await fail(UNKNOWN, [`error: The state of cluster ${flags.cluster} cannot be read: ${reasonOf(error)}`]);
  } finally {
    clearTimeout(working);
  }
  const answered = remembered.ok ? answer(remembered.value) : err([`error: ${remembered.error}`]);
  if (!answered.ok) {
    return await fail(UNKNOWN, answered.error);
  }
  const { kind, explanation, text } = answered.value;
  await write(
    stdout,
    flags.output === 'json'
      ? `${JSON.stringify(printableData(writeExplanation(kind, explanation)), null, 2)}\n`
      : text(styleOf(stdout)),
  );
  return EXPLAINED;
}

/** Finds the table, and loads the cluster from there. */
async function rememberedOf(
  flags: StoredFlags,
  config: ClusterConfig | null,
  now: EpochMs,
  warn: (line: string) => void,
): Promise<Result<Remembered, string>> {
  if (flags.profile !== undefined) {
    process.env['AWS_PROFILE'] = flags.profile;
  }
  const region = flags.region ?? config?.region ?? undefined;
  const place = { ...flags, ...(region === undefined ? {} : { region }) };
  const found = flags.table === undefined ? await tableOfStack(place) : ok({ ...place, table: flags.table });
  if (!found.ok) {
    return found;
  }
  const { table } = found.value;
  const endpoint = flags.dynamodbEndpoint ?? flags.awsEndpoint;
  const client = createDynamoDbClient({
    ...(found.value.region === undefined ? {} : { region: found.value.region }),
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  const unreadable = (place: string): void => warn(`${place} of table ${table} cannot be read, and is left out`);
  try {
    const stores = {
      store: createDynamoDbStore({ client, table, onQuarantine: ({ place: of }) => unreadable(of) }),
      drains: createDynamoDbDrains({ client, table, onUnreadable: ({ key }) => unreadable(key) }),
    };
    const cluster = clusterName(flags.cluster);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const remembered = await loadRemembered(stores, cluster, optionsOf(config), now, signal);
    return remembered === null
      ? err(
          `Cluster ${cluster} was never evaluated, as far as table ${table} has it: see the log of the ScaleUp function`,
        )
      : ok(remembered);
  } finally {
    client.destroy();
  }
}

/** The options that the functions have, as far as the configuration beside the command says them. */
const optionsOf = (config: ClusterConfig | null) =>
  config === null
    ? defaultOptions()
    : readOptions(structuredClone(writeGivenOptions(optionsOver(config.defaults, config.options))), 'options');

const styleOf = (stdout: Streams['stdout']): Style => {
  const terminal = stdout instanceof WriteStream && stdout.isTTY;
  return {
    colors: pc.createColors(terminal ? pc.isColorSupported : Boolean(process.env['FORCE_COLOR'])),
    width: terminal ? stdout.columns || DEFAULT_WIDTH : DEFAULT_WIDTH,
  };
};

/** What is wrong, in one line, and what to do. */
function reasonOf(error: unknown): string {
  const causes = [error, ...(error instanceof Error ? [error.cause] : [])];
  if (causes.some((one) => one instanceof Error && one.name === 'CredentialsProviderError')) {
    return noCredentials();
  }
  return causes.some((one) => one instanceof Error && /Region is missing/.test(one.message))
    ? 'no region is given: pass --region, or write it into the configuration or AWS_REGION'
    : errorText(error);
}
