import { type Command, Option } from 'commander';
import { clusterOf, urlFlag } from '../terminal/flag-values.ts';
import type { CommandLineNames } from './configured.ts';

/** How AWS and the API server are reached. */
export interface AccessFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly awsEndpoint?: string;
}

/** The cluster, and the access to it and its node groups. */
export interface LiveFlags extends CommandLineNames, AccessFlags {
  /** `false`: the role of the configuration is not assumed. */
  readonly role?: boolean;
  readonly options?: string;
  /** Resources of Cluster API are node groups; absent: where the configuration says so. */
  readonly clusterApi?: true;
  /** `false`: Auto Scaling groups are none. */
  readonly autoScalingGroups?: boolean;
  readonly managementKubeconfig?: string;
  readonly managementContext?: string;
}

export const regionOption = (of: string): Option =>
  new Option(
    '--region <region>',
    `AWS region of the ${of} (default: that of the configuration, else of the AWS environment)`,
  );

export const configOption = (where = 'where it names the cluster'): Option =>
  new Option('--config <file>', `configuration file (default: outrigger.config.yaml, ${where})`);

/** Sets the profile for the AWS clients, and for the programs that are started, such as those of a kubeconfig that log in. */
export const profileOption = (): Option =>
  new Option('--profile <name>', 'profile of the AWS configuration (default: $AWS_PROFILE)').argParser((name) => {
    process.env['AWS_PROFILE'] = name;
    return name;
  });

export const endpointOption = (of = 'all services of AWS'): Option =>
  new Option('--aws-endpoint <url>', `endpoint for ${of} (default: the endpoints of the region)`).argParser(urlFlag);

export const noRoleOption = (): Option =>
  new Option('--no-role', 'do not assume the role of the configuration: the credentials are those of its account');

/** Declares the options that say which cluster is meant. */
export const withLiveFlags = (command: Command): Command => withClusterApiFlags(withAccessFlags(command));

const withClusterApiFlags = (command: Command): Command =>
  command
    .option(
      '--cluster-api',
      'resources of Cluster API are node groups: those with min-size and max-size annotations (default: as the configuration says)',
    )
    .option(
      '--no-auto-scaling-groups',
      'with Cluster API: Auto Scaling groups are no node groups, and AWS is not needed',
    )
    .option(
      '--management-kubeconfig <file>',
      'with Cluster API: kubeconfig of the cluster that has its resources (default: that of --cluster)',
    )
    .option(
      '--management-context <name>',
      'with Cluster API: context of that cluster (default: the current context of --management-kubeconfig)',
    );

const withAccessFlags = (command: Command): Command =>
  command
    .requiredOption(
      '--cluster <name>',
      'cluster name, as in the tag k8s.io/cluster-autoscaler/<name> of its node groups',
      clusterOf,
    )
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: $KUBECONFIG, else ~/.kube/config)')
    .option('--context <name>', 'context in the kubeconfig (default: the current context)')
    .addOption(regionOption('node groups'))
    .addOption(configOption())
    .addOption(noRoleOption())
    .addOption(profileOption())
    .addOption(endpointOption('Auto Scaling, EC2 and EKS'))
    .option(
      '--options <file>',
      "scaling options in YAML: Cluster Autoscaler's flags in camelCase (default: those of the configuration)",
    );
