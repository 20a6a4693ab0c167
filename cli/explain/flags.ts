import { type Command, Option } from 'commander';
import { clusterOf, outputOption, urlFlag } from '../terminal/flag-values.ts';

/** The cluster, and the place of its state. */
export interface TableFlags {
  readonly cluster: string;
  readonly region?: string;
  readonly config?: string;
  readonly profile?: string;
  readonly table?: string;
  readonly awsEndpoint?: string;
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
    .option(
      '--region <region>',
      'AWS region of the stack (default: that of the configuration, else of the AWS environment)',
    )
    .option('--config <file>', 'configuration file (default: outrigger.config.yaml, where it names the cluster)')
    .option('--profile <name>', 'profile of the AWS configuration (default: $AWS_PROFILE)')
    .option('--table <name>', 'DynamoDB table with the state (default: that of the stack)')
    .option('--aws-endpoint <url>', 'endpoint for all services of AWS (default: the endpoints of the region)', urlFlag)
    .option('--dynamodb-endpoint <url>', 'DynamoDB endpoint, as that of outrigger local', urlFlag);
