import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parse as parseYaml } from 'yaml';
import { clusterName } from '../../core/model/values/names.ts';
import { type Options, defaultOptions } from '../../core/model/options.ts';
import { printable } from '../../core/model/values/printable.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import { type DurationMs, minutes, parseDuration } from '../../core/model/values/time.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import { readOptions } from '../../functions/shared/options.ts';
import type { Log } from '../../functions/shared/world.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../providers/dynamodb/drains.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { ensureTable } from '../../providers/dynamodb/table.ts';
import { clusterAccessOver } from '../../providers/kubernetes/access.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport } from '../../providers/kubernetes/client/transport.ts';
import { applyWebhook, isSchedulerUser, removeWebhook } from '../../providers/kubernetes/webhook.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { createMemoryStore } from '../../providers/memory/store.ts';
import { createLog, errorText, type LogFormat } from '../local/log.ts';
import { type LocalRun, type Listen, runLocally } from '../local/run.ts';

/** What the command line says, checked. */
interface Flags {
  readonly cluster: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly region: string;
  readonly awsEndpoint?: string;
  readonly dynamodbEndpoint?: string;
  readonly table: string;
  readonly options?: string;
  readonly listen?: { readonly host: string; readonly port: number };
  readonly advertise?: string;
  readonly installWebhook?: true;
  readonly schedulerUser: readonly string[];
  readonly schedule: DurationMs;
  readonly timeout: DurationMs;
  readonly dryRun?: true;
  readonly log: LogFormat;
  readonly verbose?: true;
}

/** How long the end waits for an API server to remove the webhook. */
const REMOVAL_MS = 10_000;

/** `outrigger local`: looks after a cluster from this process, with the functions that run on AWS. */
export const localCommand = (): Command =>
  new Command('local')
    .description('Look after a cluster from this machine: the same functions as on AWS, in one process')
    .requiredOption('--cluster <name>', 'the cluster, as in the tag k8s.io/cluster-autoscaler/<name>', clusterOf)
    .option('--kubeconfig <file>', 'how to reach its API server (default: KUBECONFIG, else ~/.kube/config)')
    .option('--context <name>', 'the context in it (default: the current one)')
    .addOption(
      new Option('--region <region>', 'the AWS region of its Auto Scaling groups')
        .env('AWS_REGION')
        .makeOptionMandatory(),
    )
    .option('--aws-endpoint <url>', 'another endpoint for Auto Scaling, EC2 and EKS', urlOf)
    .option(
      '--dynamodb-endpoint <url>',
      'keep the state in DynamoDB there (default: in memory, lost at the end)',
      urlOf,
    )
    .option('--table <name>', 'the DynamoDB table, made where there is none', 'outrigger')
    .option('--options <file>', "scaling options in YAML: Cluster Autoscaler's flags in camelCase")
    .option('--listen <host:port>', 'where to receive webhook notifications of pods without a node', listenOf)
    .option('--advertise <host>', 'the host under which the API server reaches --listen (default: the same)')
    .option('--install-webhook', 'have the API server send webhook notifications to --listen, until this ends')
    .addOption(
      new Option(
        '--scheduler-user <name...>',
        'with --install-webhook: users of schedulers beside kube-scheduler whose events are sent',
      )
        .argParser(schedulerUsersOf)
        .default([], 'none'),
    )
    .addOption(
      new Option('--schedule <duration>', 'time between evaluations that no webhook notification asks for')
        .argParser(scheduleOf)
        .default(minutes(1), '60s'),
    )
    .addOption(
      new Option(
        '--timeout <duration>',
        'how long an evaluation or a change may take; one cut short is taken up after that',
      )
        .argParser(timeoutOf)
        .default(minutes(1), '60s'),
    )
    .option('--dry-run', 'decide and say, but change nothing')
    .addOption(
      new Option('--log <format>', 'how to log')
        .choices(['text', 'json'])
        .default(process.stdout.isTTY ? 'text' : 'json', 'text on a terminal, else json'),
    )
    .option('--verbose', 'log evaluations that found nothing to do, too')
    .action(async (flags: Flags, command: Command) => {
      if (flags.installWebhook === true && flags.listen === undefined) {
        command.error('error: --install-webhook needs --listen: the API server sends its notifications there');
      }
      const log = createLog(
        flags.log,
        flags.verbose === true ? 'debug' : 'info',
        (line) => process.stdout.write(line),
        () => new Date(),
      );
      const end = waitForEnd(log);
      let run: LocalRun;
      try {
        run = await start(flags, log);
      } catch (error) {
        end.forget();
        command.error(`error: ${printable(errorText(error))}`);
      }
      let code = await end.told;
      try {
        await run.close();
      } catch (error) {
        log.error('Not everything could be taken down', { error });
        code = 1;
      }
      process.exit(code);
    });

async function start(flags: Flags, log: Log): Promise<LocalRun> {
  const cluster = clusterName(flags.cluster);
  const options = optionsFrom(flags.options);
  const connection = await connectionOfKubeconfig({ file: flags.kubeconfig ?? null, context: flags.context ?? null });
  const transport = createTransport(connection);
  const run = await runLocally({
    cluster,
    options,
    ...clusterAccessOver(transport, {
      namespace: options.namespace,
      now: systemClock.now,
      warn: (message) => log.warn(message),
    }),
    groups: createAutoScalingGroups({
      cluster,
      region: flags.region,
      prices: options.expander.includes('price'),
      warn: (message) => log.warn(message),
      now: systemClock.now,
      ...(flags.awsEndpoint === undefined ? {} : { endpoint: flags.awsEndpoint }),
    }),
    ...(await memoryFor(flags, log)),
    scheduleMs: flags.schedule,
    timeoutMs: flags.timeout,
    listen: listenFor(flags),
    webhook:
      flags.installWebhook === true
        ? {
            install: async (target) =>
              await applyWebhook(transport, cluster, { ...target, schedulerUsers: flags.schedulerUser }),
            remove: async () => await removeWebhook(transport, cluster, AbortSignal.timeout(REMOVAL_MS)),
          }
        : null,
    dryRun: flags.dryRun ?? false,
    log,
  });
  log.info(
    `Looking after cluster ${cluster} at ${connection.server.origin}${flags.dryRun === true ? ', changing nothing (dry run)' : ''}`,
  );
  return {
    ...run,
    close: async () => {
      await run.close();
      transport.close();
    },
  };
}

async function memoryFor(
  { dynamodbEndpoint, region, table }: Flags,
  log: Log,
): Promise<{ readonly store: StateStore; readonly drains: DrainStore }> {
  if (dynamodbEndpoint === undefined) {
    return { store: createMemoryStore(), drains: createMemoryDrains() };
  }
  const unreadable = (problem: object): void =>
    log.error('Something stored could not be read and is left aside', { ...problem });
  const client = createDynamoDbClient({ region, endpoint: dynamodbEndpoint });
  await ensureTable(client, table);
  return {
    store: createDynamoDbStore({ client, table, onQuarantine: unreadable }),
    drains: createDynamoDbDrains({ client, table, onUnreadable: unreadable }),
  };
}

function optionsFrom(file: string | undefined): Options {
  if (file === undefined) {
    return defaultOptions();
  }
  let raw: unknown;
  try {
    raw = parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`The options file ${file} cannot be read`, { cause: error });
  }
  return readOptions(raw, file);
}

const listenFor = ({ listen, advertise }: Flags): Listen | null =>
  listen === undefined ? null : { ...listen, advertise: advertise ?? listen.host };

interface End {
  /** The exit code, once the process is told to end. */
  readonly told: Promise<number>;
  /** Lets signals and errors take their usual way again. */
  readonly forget: () => void;
}

/**
 * Waits for a signal. A second one ends the process at once; an unexpected error ends it as a signal does, for a
 * webhook must not be left behind.
 */
function waitForEnd(log: Log): End {
  const { promise, resolve } = Promise.withResolvers<number>();
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 1) {
      process.exit(130);
    }
    log.info(`${signal}: ending; once more to end at once`);
    resolve(0);
  };
  const onBroken = (error: unknown): void => {
    log.error('Something unforeseen happened; ending', { error });
    resolve(1);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  process.on('uncaughtException', onBroken).on('unhandledRejection', onBroken);
  return {
    told: promise,
    forget: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      process.off('uncaughtException', onBroken).off('unhandledRejection', onBroken);
    },
  };
}

function clusterOf(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text)) {
    throw new InvalidArgumentError('It takes a cluster name: letters, digits, - and _, at most 100.');
  }
  if (text.toLowerCase() === 'enabled') {
    throw new InvalidArgumentError('Every group of Cluster Autoscaler has the tag of a cluster of that name.');
  }
  return text;
}

function urlOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError('It takes a URL such as http://localhost:8000.');
  }
  return text;
}

function listenOf(text: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[(?<v6>[0-9A-Fa-f:.]+)\]|(?<host>[^:[\]/\s]+)):(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.['port']);
  if (match === null || port > 65_535) {
    throw new InvalidArgumentError('It takes HOST:PORT, such as 192.0.2.10:9443, [::1]:9443 or localhost:0.');
  }
  return { host: match.groups?.['v6'] ?? match.groups?.['host'] ?? '', port };
}

function schedulerUsersOf(text: string, before: readonly string[]): readonly string[] {
  if (!isSchedulerUser(text)) {
    throw new InvalidArgumentError('It takes a user such as system:serviceaccount:kube-system:my-scheduler.');
  }
  return [...before, text];
}

const scheduleOf = durationBetween(1_000, 86_400_000, 'a duration between 1s and 24h, such as 60s or 5m');
/** The longest is what AWS lets a function run. */
const timeoutOf = durationBetween(5_000, 900_000, 'a duration between 5s and 15m, such as 60s');

function durationBetween(lowest: number, highest: number, what: string): (text: string) => DurationMs {
  return (text) => {
    const parsed = parseDuration(text);
    if (!parsed.ok || parsed.value < lowest || parsed.value > highest) {
      throw new InvalidArgumentError(`It takes ${what}.`);
    }
    return parsed.value;
  };
}
