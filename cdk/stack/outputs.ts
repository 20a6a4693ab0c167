import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { rbac } from '../../providers/kubernetes/manifests/rbac.ts';
import { webhookConfiguration } from '../../providers/kubernetes/manifests/webhook.ts';
import type { ClusterSettings } from '../settings.ts';

/** What is applied in the cluster, and how. */
export function createOutputs(
  scope: Construct,
  { name, dryRun, options, schedulerUsers }: ClusterSettings,
  url: string,
): void {
  new CfnOutput(scope, 'Mode', {
    description: 'What is done with decisions',
    value: dryRun
      ? 'observe: they are recorded and nothing is changed. For sizes to be set, deploy with mode: act'
      : 'act: they are carried out',
  });
  // Cluster Autoscaler's `--namespace`.
  const { namespace } = options;
  new CfnOutput(scope, 'Rbac', {
    description: 'What the functions may read in the cluster: kubectl apply -f - with this',
    value: JSON.stringify(rbac(typeof namespace === 'string' ? namespace : undefined)),
  });
  new CfnOutput(scope, 'Webhook', {
    description:
      'The webhook that tells of pods without a node: kubectl apply -f - with this, TOKEN replaced by one whose hash the stack has (npx outrigger token makes both)',
    value: JSON.stringify(webhookConfiguration(name, { url: `${url}TOKEN/${name}`, ca: null, schedulerUsers })),
  });
}
