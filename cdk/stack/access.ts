import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { DRAIN_GROUP, KUBERNETES_GROUP } from '../../providers/kubernetes/manifests/groups.ts';
import type { ClusterSettings } from '../settings.ts';
import type { Functions } from './functions.ts';

/** The groups that may do in the cluster what the functions do, all of them together. Evictions are a part of acting. */
export const kubernetesGroups = (dryRun: boolean): readonly string[] =>
  dryRun ? [KUBERNETES_GROUP] : [KUBERNETES_GROUP, DRAIN_GROUP];

/**
 * Lets functions into the cluster, with the rights that their groups have there. Into a cluster of another account, its
 * role is let in there (`describeRole`).
 */
export function grantClusterAccess(
  scope: Construct,
  { name, dryRun, role: assumed }: ClusterSettings,
  functions: Functions,
): void {
  if (assumed !== null) {
    return;
  }
  const entry = (id: string, { role }: Function, ...groups: readonly string[]): void => {
    new CfnAccessEntry(scope, id, {
      clusterName: name,
      principalArn: role!.roleArn,
      kubernetesGroups: [...groups],
      type: 'STANDARD',
    });
  };
  entry('AccessEntry', functions.scaleUp, KUBERNETES_GROUP);
  entry('ScaleDownAccessEntry', functions.scaleDown, KUBERNETES_GROUP);
  entry('DrainAccessEntry', functions.drain, ...kubernetesGroups(dryRun));
}
