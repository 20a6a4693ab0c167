import { type Command, Option } from 'commander';
import { clusterOf, urlOf } from '../local/flag-values.ts';

/** Which cluster is meant, and how it and its node groups are reached. */
export interface LiveFlags {
  readonly cluster: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly region: string;
  readonly profile?: string;
  readonly awsEndpoint?: string;
  readonly options?: string;
}

/** Declares the options that say which cluster is meant. */
export const withLiveFlags = (command: Command): Command =>
  command
    .requiredOption(
      '--cluster <name>',
      'cluster name, as in the tag k8s.io/cluster-autoscaler/<name> of its node groups',
      clusterOf,
    )
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: $KUBECONFIG, else ~/.kube/config)')
    .option('--context <name>', 'context in the kubeconfig (default: the current context)')
    .addOption(new Option('--region <region>', 'AWS region of the node groups').env('AWS_REGION').makeOptionMandatory())
    .option('--profile <name>', 'profile of the AWS configuration (default: $AWS_PROFILE)')
    .option(
      '--aws-endpoint <url>',
      'endpoint for Auto Scaling, EC2 and EKS (default: the endpoints of the region)',
      urlOf,
    )
    .option('--options <file>', "scaling options in YAML: Cluster Autoscaler's flags in camelCase");
