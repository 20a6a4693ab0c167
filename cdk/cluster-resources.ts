import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { ClusterSettings, Network } from './settings.ts';
import { grantClusterAccess } from './stack/access.ts';
import { createAlarms } from './stack/alarms.ts';
import { createDashboard } from './stack/dashboard.ts';
import { connectEvents } from './stack/events.ts';
import { createFunctions } from './stack/functions.ts';
import { acknowledgeExceptions } from './stack/good-practice.ts';
import { describeManagementCluster } from './stack/management-cluster.ts';
import { createOutputs } from './stack/outputs.ts';
import { manifestsFunction } from './stack/manifests.ts';
import { forwardMessages, messageBusOf } from './stack/messages.ts';
import { placeInVpc } from './stack/network.ts';
import { makePausable } from './stack/pause.ts';
import { grantPermissions } from './stack/permissions.ts';
import { createSchedules } from './stack/schedules.ts';
import { evaluationOf } from './stack/size.ts';
import { snapshotBucket, stateTable, wakeUpQueue } from './stack/state.ts';
import { webhookUrl } from './stack/webhook.ts';
import { webhookTokenHashes } from './stack/webhook-tokens.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';

export interface ClusterResourcesProps {
  readonly cluster: ClusterSettings;
  /** The folder that `npm run build:functions` fills, with one folder per function. */
  readonly bundles: string;
  /** The network of the functions that talk to the API server; absent: the network of the settings. */
  readonly network?: Network | undefined;
}

/** The functions by their part; `null`: not with these settings. */
export type ClusterFunctions = Readonly<
  Record<'scaleUp' | 'scaleDown' | 'drain' | 'actuate' | 'wake', IFunction> &
    Record<'ingest' | 'widget', IFunction | null>
>;

/** All that looks after one cluster, in whichever stack. */
export class ClusterResources extends Construct {
  readonly table: ITable;
  readonly functions: ClusterFunctions;
  readonly alarms: readonly Alarm[];
  /** The address of the webhook without its token; `null`: there is no webhook. */
  readonly webhookUrl: string | null;

  constructor(
    scope: Construct,
    id: string,
    { cluster: settings, bundles, network = settings.vpc ?? undefined }: ClusterResourcesProps,
  ) {
    super(scope, id);
    const cluster = { ...settings, eventBusArn: messageBusOf(this, settings) };
    const key = mapOptional(cluster.kmsKeyArn, (arn) => Key.fromKeyArn(this, 'Key', arn)) ?? null;
    const table = stateTable(this, key);
    const snapshots = cluster.snapshots ? snapshotBucket(this, key) : null;
    const queue = wakeUpQueue(this, evaluationOf(cluster.size).timeout, key);
    const manifests = cluster.applyManifests ? manifestsFunction(this, cluster, bundles, key) : null;
    const tokenHashes =
      cluster.webhook === 'none' ? null : webhookTokenHashes(this, cluster, manifests?.tokenHashes ?? null);
    const functions = createFunctions(this, { cluster, bundles, table, snapshots, queue, key, tokenHashes });
    if (network !== undefined) {
      const { scaleUp, scaleDown, drain, actuate } = functions;
      const changing = cluster.clusterApi !== null && actuate;
      placeInVpc(this, network, presentItems([scaleUp, scaleDown, drain, changing, manifests?.function]));
    }
    connectEvents(this, functions, { cluster, queue, table });
    forwardMessages(this, cluster);
    grantPermissions(this, functions, { cluster, queue, table }, snapshots);
    const scan = createSchedules(this, cluster, functions, queue);
    this.alarms = createAlarms(this, cluster, queue);
    createDashboard(this, functions, { cluster, queue, table, alarms: this.alarms });
    makePausable(this, functions, scan);
    grantClusterAccess(this, cluster, functions);
    describeManagementCluster(this, cluster, functions);
    this.webhookUrl = webhookUrl(this, cluster, functions.ingest);
    manifests?.apply(this.webhookUrl);
    createOutputs(this, cluster, this.webhookUrl);
    this.table = table as ITable;
    this.functions = functions;
    acknowledgeExceptions(this, cluster, snapshots);
  }
}
