import { functionRole } from '../standard-function.ts';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { CLUSTER_API_GROUP, CLUSTER_API_CHANGE_GROUP } from '@outrigger/providers/kubernetes/manifests/cluster-api.ts';
import { DRAIN_GROUP, KUBERNETES_GROUP } from '@outrigger/providers/kubernetes/manifests/groups.ts';
import type { ClusterSettings } from '../settings.ts';
import type { Functions } from './functions.ts';

/** The groups that may do in the cluster what the functions do, all of them together. Evictions are a part of acting. */
export const kubernetesGroups = ({ dryRun, clusterApi }: ClusterSettings): readonly string[] => [
  ...drainGroups(dryRun),
  ...(hasResources(clusterApi) ? clusterApiGroups('changes', dryRun) : []),
];

const drainGroups = (dryRun: boolean): readonly string[] =>
  dryRun ? [KUBERNETES_GROUP] : [KUBERNETES_GROUP, DRAIN_GROUP];

/** The Kubernetes groups of a function that reads resources of Cluster API, or changes them in a stack that acts. */
export const clusterApiGroups = (what: 'reads' | 'changes', dryRun: boolean): readonly string[] =>
  what === 'changes' && !dryRun ? [CLUSTER_API_GROUP, CLUSTER_API_CHANGE_GROUP] : [CLUSTER_API_GROUP];

/** Whether the cluster itself has the resources of Cluster API. */
export const hasResources = (clusterApi: ClusterSettings['clusterApi']): boolean =>
  clusterApi !== null && clusterApi.managementCluster === null;

/** The command that lets a role into a cluster. */
export const accessEntryCommand = (cluster: string, region: string, role: string, groups: readonly string[]): string =>
  `aws eks create-access-entry --cluster-name ${cluster} --region ${region} --principal-arn ${role} --kubernetes-groups ${groups.join(' ')}`;

/**
 * Gives functions access to the cluster, with the rights of their groups. A cluster of another account gives access to
 * its role (`describeRole`).
 */
export function grantClusterAccess(
  scope: Construct,
  { name, dryRun, role: assumed, clusterApi }: ClusterSettings,
  functions: Functions,
): void {
  if (assumed !== null) {
    return;
  }
  const entry = (id: string, assuming: Function, ...groups: readonly string[]): void => {
    new CfnAccessEntry(scope, id, {
      clusterName: name,
      principalArn: functionRole(assuming).roleArn,
      kubernetesGroups: [...groups],
      type: 'STANDARD',
    });
  };
  const more = (what: 'reads' | 'changes'): readonly string[] =>
    hasResources(clusterApi) ? clusterApiGroups(what, dryRun) : [];
  entry('AccessEntry', functions.scaleUp, KUBERNETES_GROUP, ...more('reads'));
  entry('ScaleDownAccessEntry', functions.scaleDown, KUBERNETES_GROUP, ...more('reads'));
  entry('DrainAccessEntry', functions.drain, ...drainGroups(dryRun), ...more('changes'));
  if (hasResources(clusterApi)) {
    entry('ActuateAccessEntry', functions.actuate, ...more('changes'));
  }
}
