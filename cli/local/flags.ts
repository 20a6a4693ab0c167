import { type Command, Option } from 'commander';
import type { DurationMs } from '@outrigger/core/model/values/time.ts';
import { type LiveFlags, withLiveFlags } from '../live/flags.ts';
import {
  addressOf,
  durationOption,
  limitFlag,
  listenOf,
  outputOption,
  scheduleFlag,
  schedulerUsersOf,
  timeoutOf,
  urlFlag,
} from '../terminal/flag-values.ts';
import type { Address } from './listening.ts';
import type { LogFormat } from './log.ts';

/** The command line of `outrigger local`, checked. */
export interface Flags extends LiveFlags {
  readonly dynamodbEndpoint?: string;
  readonly table: string;
  readonly listen?: Address;
  readonly advertise?: string;
  readonly installWebhook?: true;
  readonly replaceWebhook?: true;
  readonly schedulerUser: readonly string[];
  readonly schedule: DurationMs;
  readonly timeout: DurationMs;
  readonly address?: Address;
  readonly ui?: true;
  readonly maxInactivity: DurationMs;
  readonly maxFailingTime: DurationMs;
  readonly dryRun?: true;
  readonly once?: true;
  readonly output: 'text' | 'json';
  readonly detailedExitcode?: true;
  readonly log: LogFormat;
  readonly verbose?: true;
}

/** Declares the options of `outrigger local`. */
export const withFlags = (command: Command): Command =>
  withRunFlags(withEndpointFlags(withWebhookFlags(withStateFlags(withLiveFlags(command)))));

/** The flags for the place of the state. */
const withStateFlags = (command: Command): Command =>
  command
    .option(
      '--dynamodb-endpoint <url>',
      'DynamoDB endpoint to keep the state at (default: the state is kept in memory)',
      urlFlag,
    )
    .option('--table <name>', 'DynamoDB table, created if it does not exist', 'outrigger');

const withWebhookFlags = (command: Command): Command =>
  command
    .option('--listen <host:port>', 'address to listen on for webhook notifications of unschedulable pods', listenOf)
    .option('--advertise <host>', 'host by which the API server reaches --listen (default: the host of --listen)')
    .option('--install-webhook', 'install the webhook in the API server, and remove it on exit')
    .option('--replace-webhook', 'with --install-webhook: replace the webhook of another process for this cluster')
    .addOption(
      new Option(
        '--scheduler-user <name...>',
        'with --install-webhook: users of other schedulers whose events are sent, in addition to kube-scheduler',
      )
        .argParser(schedulerUsersOf)
        .default([], 'none'),
    );

/** The flags for the data that the process serves over HTTP; the names are Cluster Autoscaler's. */
const withEndpointFlags = (command: Command): Command =>
  command
    .option(
      '--address <host:port>',
      'address to serve /metrics and /health-check on; :8085 is that port of this computer alone (default: not served)',
      addressOf,
    )
    .option('--ui', 'also serve a page that shows what is decided, at http://127.0.0.1:8085/ or at --address')
    .addOption(
      durationOption('--max-inactivity', '/health-check fails when no evaluation began for longer', limitFlag, '10m'),
    )
    .addOption(
      durationOption(
        '--max-failing-time',
        '/health-check fails when no evaluation succeeded for longer',
        limitFlag,
        '15m',
      ),
    );

const withRunFlags = (command: Command): Command =>
  command
    .addOption(durationOption('--schedule', 'time between scheduled evaluations', scheduleFlag, '60s'))
    .addOption(
      durationOption(
        '--timeout',
        'time limit of an evaluation or a change; an interrupted change is resumed after it',
        timeoutOf,
        '60s',
      ),
    )
    .option('--dry-run', 'evaluate and log the decisions, but change nothing')
    .option('--once', 'with --dry-run: evaluate once, print the node groups found and the decision with its reasons')
    .addOption(outputOption('with --once: how to print'))
    .option('--detailed-exitcode', 'with --once: exit with 2 where something would be changed')
    .addOption(
      new Option('--log <format>', 'log format')
        .choices(['text', 'json'])
        .default(process.stdout.isTTY ? 'text' : 'json', 'text on a terminal, else json'),
    )
    .option('--verbose', 'also log evaluations that change nothing');
