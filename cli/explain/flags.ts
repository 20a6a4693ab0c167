import { type Command, Option } from 'commander';
import type { CommandLineNames } from '../live/configured.ts';
import { type AccessFlags, configOption, endpointOption, profileOption, regionOption } from '../live/flags.ts';
import { clusterOf, outputOption, urlFlag } from '../terminal/flag-values.ts';

/** The cluster, and the place of its state. */
export interface TableFlags extends CommandLineNames, Pick<AccessFlags, 'awsEndpoint'> {
  readonly table?: string;
  readonly dynamodbEndpoint?: string;
}

/** The same, with the output format. */
export interface StoredFlags extends TableFlags {
  readonly output: 'text' | 'json';
}

/** Declares the options of commands that read what is stored of a cluster. */
export const withStoredFlags = (command: Command, { needsCluster } = { needsCluster: true }): Command =>
  withTableFlags(command, needsCluster).addOption(outputOption());

/** Declares the options that say where the state of a cluster is. */
export const withTableFlags = (command: Command, needsCluster: boolean): Command =>
  command
    .addOption(
      new Option('--cluster <name>', 'name of the cluster').argParser(clusterOf).makeOptionMandatory(needsCluster),
    )
    .addOption(regionOption('stack'))
    .addOption(configOption())
    .addOption(profileOption())
    .option('--table <name>', 'DynamoDB table with the state (default: that of the stack)')
    .addOption(endpointOption())
    .option('--dynamodb-endpoint <url>', 'DynamoDB endpoint, as that of outrigger local', urlFlag);
