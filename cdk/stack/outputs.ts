import { textIf } from '@outrigger/core/model/values/optional.ts';
import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import manifest from '../../package.json' with { type: 'json' };
import { manifestSettings } from '../../config/manifest-settings.ts';
import { manifestsOf } from '@outrigger/providers/kubernetes/manifests/manifests.ts';
import { webhookConfiguration } from '@outrigger/providers/kubernetes/manifests/webhook.ts';
import type { ClusterSettings } from '../settings.ts';

/** The outputs: the objects to apply in the cluster, and the commands. */
export function createOutputs(scope: Construct, cluster: ClusterSettings, url: string | null): void {
  const { name, dryRun, schedulerUsers } = cluster;
  new CfnOutput(scope, 'Mode', {
    description: 'Mode of the cluster: whether decisions are carried out',
    value: dryRun
      ? 'observe: they are recorded and nothing is changed. For sizes to be set, deploy with mode: act'
      : 'act: they are carried out',
  });
  new CfnOutput(scope, 'Version', {
    description: 'Version of Outrigger, as outrigger --version prints it',
    value: manifest.version,
  });
  new CfnOutput(scope, 'Rbac', {
    description: `RBAC manifests for the functions (read${textIf(!dryRun, ', taint nodes, create events, evict pods')}). Apply with kubectl apply -f -`,
    value: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifestsOf(manifestSettings(cluster), null) }),
  });
  if (url === null) {
    return;
  }
  const readyNodes = manifestSettings(cluster).plannedPlacement;
  new CfnOutput(scope, 'Webhook', {
    description:
      'Webhook configuration for notifications about pending pods. Replace each TOKEN by a token whose hash the stack has (npx outrigger token creates both), and apply with kubectl apply -f -',
    value: JSON.stringify(
      webhookConfiguration(name, { url: `${url}TOKEN/${name}`, ca: null, schedulerUsers, readyNodes }),
    ),
  });
}
