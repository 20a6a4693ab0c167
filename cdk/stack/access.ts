import { functionRole } from '../standard-function.ts';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { CLUSTER_API_GROUP, CLUSTER_API_CHANGE_GROUP } from '@outrigger/providers/kubernetes/manifests/cluster-api.ts';
import { DRAIN_GROUP, KUBERNETES_GROUP } from '@outrigger/providers/kubernetes/manifests/groups.ts';
import type { ClusterSettings } from '../settings.ts';
import type { Functions } from './functions.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/** The groups that may do in the cluster what the functions do, all of them together. Evictions are a part of acting. */
export const kubernetesGroups = (cluster: ClusterSettings): readonly string[] => [
  ...drainGroups(cluster),
  ...ownClusterApiGroups('changes', cluster),
];

const drainGroups = ({ dryRun }: ClusterSettings): readonly string[] =>
  presentItems([KUBERNETES_GROUP, !dryRun && DRAIN_GROUP]);

/** The Kubernetes groups of a function that reads resources of Cluster API, or changes them in a stack that acts. */
export const clusterApiGroups = (what: 'reads' | 'changes', dryRun: boolean): readonly string[] =>
  presentItems([CLUSTER_API_GROUP, what === 'changes' && !dryRun && CLUSTER_API_CHANGE_GROUP]);

/** These groups, if the cluster itself has the resources. */
const ownClusterApiGroups = (what: 'reads' | 'changes', { clusterApi, dryRun }: ClusterSettings): readonly string[] =>
  hasResources(clusterApi) ? clusterApiGroups(what, dryRun) : [];

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
export function grantClusterAccess(scope: Construct, cluster: ClusterSettings, functions: Functions): void {
  if (cluster.role !== null) {
    return;
  }
  const entry = (id: string, assuming: Function, ...groups: readonly string[]): void => {
    new CfnAccessEntry(scope, id, {
      clusterName: cluster.name,
      principalArn: functionRole(assuming).roleArn,
      kubernetesGroups: [...groups],
      type: 'STANDARD',
    });
  };
  const reading = ownClusterApiGroups('reads', cluster);
  const changing = ownClusterApiGroups('changes', cluster);
  entry('AccessEntry', functions.scaleUp, KUBERNETES_GROUP, ...reading);
  entry('ScaleDownAccessEntry', functions.scaleDown, KUBERNETES_GROUP, ...reading);
  entry('DrainAccessEntry', functions.drain, ...drainGroups(cluster), ...changing);
  if (changing.length > 0) {
    entry('ActuateAccessEntry', functions.actuate, ...changing);
  }
}
