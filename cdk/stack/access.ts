import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { DRAIN_GROUP, KUBERNETES_GROUP } from '../../providers/kubernetes/manifests/groups.ts';
import type { ClusterSettings } from '../settings.ts';
import type { Functions } from './functions.ts';

/** Lets functions into the cluster, with the rights that their groups have there. */
export function grantClusterAccess(scope: Construct, { name, dryRun }: ClusterSettings, functions: Functions): void {
  const entry = (id: string, { role }: Function, ...kubernetesGroups: string[]): void => {
    new CfnAccessEntry(scope, id, {
      clusterName: name,
      principalArn: role!.roleArn,
      kubernetesGroups,
      type: 'STANDARD',
    });
  };
  entry('AccessEntry', functions.scaleUp, KUBERNETES_GROUP);
  entry('ScaleDownAccessEntry', functions.scaleDown, KUBERNETES_GROUP);
  // Evictions are a part of acting.
  entry('DrainAccessEntry', functions.drain, KUBERNETES_GROUP, ...(dryRun ? [] : [DRAIN_GROUP]));
}
