import { present } from '@outrigger/core/model/values/present.ts';
import type { Command } from 'commander';
import { type DurationMs, minutes } from '@outrigger/core/model/values/time.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import { type AccessFlags, configOption, endpointOption, profileOption, regionOption } from '../live/flags.ts';
import { clusterOf, durationBetween, durationOption, outputOption } from '../terminal/flag-values.ts';
import { type InstallAccess, realPause } from './place.ts';
import type { RunRequest } from './run.ts';

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
    .addOption(regionOption('cluster'))
    .addOption(configOption('where it exists'))
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: a token of EKS for the AWS credentials)')
    .option('--context <name>', 'context in the kubeconfig (default: the current context)')
    .addOption(profileOption())
    .addOption(endpointOption())
    .addOption(outputOption(output));

/** The flags for drains that have begun. */
export interface DrainFlags {
  readonly drainTimeout: DurationMs;
  readonly cancelDrains?: true;
}

const DRAIN_TIMEOUT = durationBetween(0, minutes(360), 'a duration of at most 6h, such as 15m');

export const withDrainFlags = (command: Command): Command =>
  command
    .addOption(
      durationOption(
        '--drain-timeout',
        'how long drains may take to end before they are stopped',
        DRAIN_TIMEOUT,
        '15m',
      ),
    )
    .option('--cancel-drains', 'stop drains at once; their nodes are kept');

/** How long drains may take to end, in milliseconds; 0: they are stopped at once. */
export const drainLimitOf = ({ drainTimeout, cancelDrains }: DrainFlags): number =>
  cancelDrains === true ? 0 : drainTimeout;

/** How AWS and the API server are reached by these options. */
export const accessBy = ({ kubeconfig, context, awsEndpoint }: AccessFlags): InstallAccess => ({
  kubeconfig:
    kubeconfig === undefined && context === undefined ? null : { file: kubeconfig ?? null, context: context ?? null },
  now: systemClock.now,
  pause: realPause,
  ...present({ endpoint: awsEndpoint }),
});
