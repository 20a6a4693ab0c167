import type { Command } from 'commander';
import { clusterOf, urlFlag } from '../terminal/flag-values.ts';

/** The cluster, and the access to it and its node groups. */
export interface LiveFlags {
  readonly cluster: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly region?: string;
  /** The configuration file; absent: outrigger.config.yaml of this directory, if it names the cluster. */
  readonly config?: string;
  /** `false`: the role of the configuration is not assumed. */
  readonly role?: boolean;
  readonly profile?: string;
  readonly awsEndpoint?: string;
  readonly options?: string;
  /** Resources of Cluster API are node groups; absent: where the configuration says so. */
  readonly clusterApi?: true;
  /** `false`: Auto Scaling groups are none. */
  readonly autoScalingGroups?: boolean;
  readonly managementKubeconfig?: string;
  readonly managementContext?: string;
}

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
    .option(
      '--region <region>',
      'AWS region of the node groups (default: that of the configuration, else of the AWS environment)',
    )
    .option('--config <file>', 'configuration file (default: outrigger.config.yaml, where it names the cluster)')
    .option('--no-role', 'do not assume the role of the configuration: the credentials are those of its account')
    .option('--profile <name>', 'profile of the AWS configuration (default: $AWS_PROFILE)')
    .option(
      '--aws-endpoint <url>',
      'endpoint for Auto Scaling, EC2 and EKS (default: the endpoints of the region)',
      urlFlag,
    )
    .option(
      '--options <file>',
      "scaling options in YAML: Cluster Autoscaler's flags in camelCase (default: those of the configuration)",
    );
