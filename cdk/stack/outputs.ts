import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { manifestsOf } from '../../providers/kubernetes/manifests/manifests.ts';
import { webhookConfiguration } from '../../providers/kubernetes/manifests/webhook.ts';
import type { ClusterSettings } from '../settings.ts';
import { manifestSettingsOf } from './manifests.ts';

/** The outputs: the objects to apply in the cluster, and the commands. */
export function createOutputs(scope: Construct, cluster: ClusterSettings, url: string | null): void {
  const { name, dryRun, schedulerUsers } = cluster;
  new CfnOutput(scope, 'Mode', {
    description: 'What is done with decisions',
    value: dryRun
      ? 'observe: they are recorded and nothing is changed. For sizes to be set, deploy with mode: act'
      : 'act: they are carried out',
  });
  new CfnOutput(scope, 'Rbac', {
    description: `What the functions may read in the cluster${
      dryRun ? '' : ', that they may taint nodes, create events, and evict pods for a drain'
    }: kubectl apply -f - with this`,
    value: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifestsOf(manifestSettingsOf(cluster), null) }),
  });
  if (url === null) {
    return;
  }
  const readyNodes = manifestSettingsOf(cluster).plannedPlacement;
  new CfnOutput(scope, 'Webhook', {
    description:
      'The webhook that tells of pods without a node: kubectl apply -f - with this, each TOKEN replaced by one whose hash the stack has (npx outrigger token makes both)',
    value: JSON.stringify(
      webhookConfiguration(name, { url: `${url}TOKEN/${name}`, ca: null, schedulerUsers, readyNodes }),
    ),
  });
}
