import { Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, type PolicyStatementProps as Statement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { snapshotPrefix } from '@outrigger/core/model/snapshot-keys.ts';
import { partitionOf } from '@outrigger/core/model/table-keys.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import { dryRunOf } from '@outrigger/core/actuation/commit/dry-run-state.ts';
import type { ClusterSettings } from '../settings.ts';
import { type ClusterRights, clusterRights, takesNotices } from './cluster-rights.ts';
import type { Functions } from './functions.ts';
import { managementRights } from './management-cluster.ts';
import { assuming, describeRole, reaching } from './other-account.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

export interface StackResources {
  readonly cluster: ClusterSettings;
  readonly queue: Queue;
  readonly table: TableV2;
}

/**
 * Rights of the functions on AWS, beside writing their logs and receiving their events.
 *
 * @param snapshots the bucket of cached lists; `null`: there is none.
 */
export function grantPermissions(
  scope: Construct,
  functions: Functions,
  resources: StackResources,
  snapshots: Bucket | null,
): void {
  const { ingest, wake, scaleUp, scaleDown, drain, drains, actuate, widget } = functions;
  const { queue, cluster } = resources;
  for (const waking of presentItems([ingest, wake, scaleUp, scaleDown, actuate])) {
    queue.grant(waking, 'sqs:SendMessage');
  }
  const rights = clusterRights(scope, cluster);
  if (cluster.role === null) {
    Object.entries(rights).forEach(([part, own]) => allow(functions[part as keyof ClusterRights], ...own));
  } else {
    const { arn } = cluster.role;
    assuming(functions, cluster).forEach((one) => allow(one, { actions: ['sts:AssumeRole'], resources: [arn] }));
    describeRole(scope, cluster, rights, functions);
  }
  if (takesNotices(cluster)) {
    const partition = partitionOf(clusterName(cluster.name));
    allow(wake, onItems(resources.table, ['Query', 'PutItem', 'DeleteItem'], [partition]));
  }
  reaching(functions).forEach((one) => allow(one, ...managementRights(scope, cluster)));
  // Only the function itself: no version of it is called.
  allow(drain, { actions: ['lambda:InvokeFunction'], resources: [scaleDown.functionArn] });
  const { externalExpander } = cluster.options;
  if (typeof externalExpander === 'string' && externalExpander !== '') {
    allow(scaleUp, { actions: ['lambda:InvokeFunction'], resources: [externalExpander] });
  }
  [drain, actuate].forEach((sender) => drains.grant(sender, 'sqs:SendMessage'));
  if (widget !== null) {
    const partitions = [clusterName(cluster.name), dryRunOf(clusterName(cluster.name))].map(partitionOf);
    allow(widget, onItems(resources.table, ['Query'], partitions));
  }
  if (snapshots !== null) {
    grantSnapshots(functions, cluster, snapshots);
  }
  if (cluster.eventBusArn !== undefined) {
    for (const telling of presentItems([scaleUp, scaleDown, takesNotices(cluster) && wake])) {
      allow(telling, { actions: ['events:PutEvents'], resources: [cluster.eventBusArn] });
    }
  }
  if (cluster.kmsKeyArn !== undefined) {
    grantKey(scope, functions, cluster.kmsKeyArn);
  }
  if (cluster.dryRun) {
    grantObserving(functions, resources);
  } else {
    grantActing(functions, resources);
  }
}

/**
 * The rights of `mode: act` to the table. A function has the actions that it uses, on the items of this cluster: all
 * have one partition key.
 */
function grantActing({ scaleUp, scaleDown, drain, actuate }: Functions, { cluster, table }: StackResources): void {
  const partition = partitionOf(clusterName(cluster.name));
  const items = (...actions: readonly string[]): Statement => onItems(table, actions, [partition]);
  for (const evaluation of [scaleUp, scaleDown]) {
    allow(evaluation, items('Query', 'PutItem', 'UpdateItem', 'DeleteItem'));
  }
  allow(drain, items('Query', 'GetItem', 'PutItem'));
  allow(actuate, items('Query', 'GetItem', 'PutItem', 'UpdateItem'));
}

/**
 * The rights of `mode: observe` to what is stored: the evaluations read what is stored of the cluster and write what a dry
 * run remembers, under a partition key of its own. There is no right to change a size, to end an instance or to begin a drain.
 */
function grantObserving({ scaleUp, scaleDown }: Functions, { cluster, table }: StackResources): void {
  const name = clusterName(cluster.name);
  const dryRun = partitionOf(dryRunOf(name));
  for (const evaluation of [scaleUp, scaleDown]) {
    allow(
      evaluation,
      onItems(table, ['Query'], [partitionOf(name), dryRun]),
      onItems(table, ['PutItem', 'UpdateItem', 'DeleteItem'], [dryRun]),
    );
  }
}

/**
 * Both evaluations read snapshots of cached lists, and scale-down stores them: scale-down reads all lists that scale-up
 * reads. Without the right to list the bucket, whose only objects are the snapshots, S3 does not distinguish a missing
 * snapshot from a forbidden one.
 */
function grantSnapshots({ scaleUp, scaleDown }: Functions, { name }: ClusterSettings, bucket: Bucket): void {
  const snapshots = [bucket.arnForObjects(`${snapshotPrefix(clusterName(name))}*`)];
  for (const evaluation of [scaleUp, scaleDown]) {
    allow(evaluation, { actions: ['s3:GetObject'], resources: snapshots });
    allow(evaluation, { actions: ['s3:ListBucket'], resources: [bucket.bucketArn] });
  }
  allow(scaleDown, { actions: ['s3:PutObject'], resources: snapshots });
}

/** By the services alone whose data the functions read and write: no function decrypts anything itself. */
function grantKey(scope: Construct, functions: Functions, key: string): void {
  const { ingest, wake, scaleUp, scaleDown, drain, actuate, widget } = functions;
  const { region, urlSuffix } = Stack.of(scope);
  const by = (services: readonly string[], actions: readonly string[]): Statement => ({
    actions: actions.map((action) => `kms:${action}`),
    resources: [key],
    conditions: {
      StringEquals: {
        'kms:ViaService': services.map((service) => `${service}.${region}.${urlSuffix}`),
      },
    },
  });
  const working = [wake, scaleUp, scaleDown, drain, actuate];
  for (const one of presentItems([...working, ingest])) {
    allow(one, by(['sqs', 's3'], ['Decrypt', 'GenerateDataKey']));
  }
  for (const one of presentItems([...working, widget])) {
    allow(
      one,
      by(['dynamodb'], ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo']),
    );
  }
}

function allow({ grantPrincipal }: Function, ...statements: readonly Statement[]): void {
  for (const statement of statements) {
    grantPrincipal.addToPrincipalPolicy(new PolicyStatement(statement));
  }
}

/** Actions on items with these partition keys, single and in transactions. No scans, no administration. */
const onItems = (table: TableV2, actions: readonly string[], partitions: readonly string[]): Statement => ({
  actions: actions.map((action) => `dynamodb:${action}`),
  resources: [table.tableArn],
  conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': partitions } },
});
