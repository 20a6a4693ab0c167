import { present } from '@outrigger/core/model/values/present.ts';
import { type Command, Option } from 'commander';
import { type DurationMs, minutes } from '@outrigger/core/model/values/time.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import { clusterOf, durationBetween, outputOption, urlFlag } from '../terminal/flag-values.ts';
import { type InstallAccess, realPause } from './place.ts';
import type { RunRequest } from './run.ts';

/** How AWS and the API server are reached. */
export interface AccessFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly profile?: string;
  readonly awsEndpoint?: string;
}

/** The cluster, and the access to it. */
export interface PlaceFlags extends RunRequest, AccessFlags {}

/**
 * Declares the options of commands about an account and a cluster in it.
 *
 * @param output what `--output` is about
 */
export const withPlaceFlags = (
  command: Command,
  output = 'format of the report on stdout; progress goes to stderr',
): Command =>
  command
    .requiredOption('--cluster <name>', 'name of the EKS cluster', clusterOf)
    .option(
      '--region <region>',
      'AWS region of the cluster (default: that of the configuration, else of the AWS environment)',
    )
    .option('--config <file>', 'configuration file (default: outrigger.config.yaml, where it exists)')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: a token of EKS for the AWS credentials)')
    .option('--context <name>', 'context in the kubeconfig (default: the current context)')
    .option('--profile <name>', 'profile of the AWS configuration (default: $AWS_PROFILE)')
    .option('--aws-endpoint <url>', 'endpoint for all services of AWS (default: the endpoints of the region)', urlFlag)
    .addOption(outputOption(output));

/** The flags for drains that have begun. */
export interface DrainFlags {
  readonly drainTimeout: DurationMs;
  readonly cancelDrains?: true;
}

export const withDrainFlags = (command: Command): Command =>
  command
    .addOption(
      new Option('--drain-timeout <duration>', 'how long drains may take to end before they are stopped')
        .argParser(durationBetween(0, minutes(360), 'a duration of at most 6h, such as 15m'))
        .default(minutes(15), '15m'),
    )
    .option('--cancel-drains', 'stop drains at once; their nodes stay');

/** How long drains may take to end, in milliseconds; 0: they are stopped at once. */
export const drainLimitOf = ({ drainTimeout, cancelDrains }: DrainFlags): number =>
  cancelDrains === true ? 0 : drainTimeout;

/** How AWS and the API server are reached by these options. */
export function accessBy({ kubeconfig, context, profile, awsEndpoint }: AccessFlags): InstallAccess {
  if (profile !== undefined) {
    // For the AWS clients, and for the programs that are started.
    process.env['AWS_PROFILE'] = profile;
  }
  return {
    kubeconfig:
      kubeconfig === undefined && context === undefined ? null : { file: kubeconfig ?? null, context: context ?? null },
    now: systemClock.now,
    pause: realPause,
    ...present({ endpoint: awsEndpoint }),
  };
}
