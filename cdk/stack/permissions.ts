import { Arn, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { partitionOf } from '../../core/model/table-keys.ts';
import { clusterName } from '../../core/model/values/names.ts';
import { dryRunOf } from '../../core/reconcile/dry-run-state.ts';
import type { ClusterSettings } from '../settings.ts';
import type { Functions } from './functions.ts';

export interface Resources {
  readonly cluster: ClusterSettings;
  readonly queue: Queue;
  readonly table: TableV2;
}

/** What the functions may do on AWS, beside writing their logs and receiving what feeds them. */
export function grantPermissions(scope: Construct, functions: Functions, resources: Resources): void {
  const { ingest, wake, scaleUp, scaleDown, drain, liveDrain, actuate } = functions;
  const { queue } = resources;
  const { name } = resources.cluster;
  for (const waking of [...(ingest === null ? [] : [ingest]), wake, scaleUp, scaleDown, actuate]) {
    queue.grant(waking, 'sqs:SendMessage');
  }
  for (const evaluation of [scaleUp, scaleDown]) {
    allow(evaluation, OBSERVATION, ...(readsPrices(resources.cluster) ? [PRICES] : []), describeCluster(scope, name));
    allow(evaluation, describeNodegroups(scope, name));
  }
  allow(drain, DESCRIBE_GROUPS, describeCluster(scope, name), start(scaleDown));
  keepCheckpoints(scope, drain);
  allow(actuate, DESCRIBE_GROUPS);
  liveDrain.grantInvoke(actuate);
  if (resources.cluster.dryRun) {
    grantObserving(functions, resources);
  } else {
    grantActing(functions, resources);
  }
}

/**
 * The rights of `mode: act`. A function has those actions on the table that it uses, on the items of this cluster:
 * they all have one partition key.
 */
function grantActing({ scaleUp, scaleDown, drain, actuate }: Functions, { cluster, table }: Resources): void {
  const partition = partitionOf(clusterName(cluster.name));
  const items = (...actions: readonly string[]): Statement => onItems(table, actions, [partition]);
  for (const evaluation of [scaleUp, scaleDown]) {
    allow(evaluation, items('Query', 'PutItem', 'UpdateItem', 'DeleteItem'));
  }
  allow(drain, items('Query', 'GetItem', 'PutItem'), endInstances(cluster.name));
  allow(actuate, items('Query', 'GetItem', 'PutItem', 'UpdateItem'), setSizes(cluster.name));
}

/**
 * The rights of `mode: observe`: the evaluations read what is stored of the cluster and write what a dry run remembers,
 * under a partition key of its own. There is no right to change a size, to end an instance or to begin a drain.
 */
function grantObserving({ scaleUp, scaleDown }: Functions, { cluster, table }: Resources): void {
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

type Statement = ConstructorParameters<typeof PolicyStatement>[0] & object;

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

const readsPrices = ({ options }: ClusterSettings): boolean => {
  const { expander } = options;
  return Array.isArray(expander) && expander.includes('price');
};

/** EC2's and Auto Scaling's Describe calls and the price list know no resources: `*` is all that they can be given. */
const OBSERVATION: Statement = {
  actions: [
    'autoscaling:DescribeAutoScalingGroups',
    'autoscaling:DescribeLaunchConfigurations',
    'autoscaling:DescribeScalingActivities',
    'ec2:DescribeImages',
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeLaunchTemplateVersions',
    'ec2:GetInstanceTypesFromInstanceRequirements',
  ],
  resources: ['*'],
};

/** For the expander `price`. */
const PRICES: Statement = { actions: ['ec2:DescribeSpotPriceHistory', 'pricing:GetProducts'], resources: ['*'] };

const DESCRIBE_GROUPS: Statement = { actions: ['autoscaling:DescribeAutoScalingGroups'], resources: ['*'] };

const describeCluster = (scope: Construct, cluster: string): Statement => ({
  actions: ['eks:DescribeCluster'],
  resources: [Arn.format({ service: 'eks', resource: 'cluster', resourceName: cluster }, Stack.of(scope))],
});

/**
 * The labels and taints of managed node groups without nodes; and, before a node of one is removed, whether EKS is updating
 * the group.
 */
const describeNodegroups = (scope: Construct, cluster: string): Statement => ({
  actions: ['eks:DescribeNodegroup'],
  resources: [Arn.format({ service: 'eks', resource: 'nodegroup', resourceName: `${cluster}/*` }, Stack.of(scope))],
});

/** Only the function itself: no version of it is called. */
const start = (target: Function): Statement => ({
  actions: ['lambda:InvokeFunction'],
  resources: [target.functionArn],
});

/** Groups that are tagged as this cluster's, and no others. */
const inGroupsOf = (cluster: string): Pick<Statement, 'resources' | 'conditions'> => ({
  resources: ['*'],
  conditions: { Null: { [`aws:ResourceTag/k8s.io/cluster-autoscaler/${cluster}`]: 'false' } },
});

/** A drain ends instances; it sets no sizes. */
const endInstances = (cluster: string): Statement => ({
  actions: ['autoscaling:TerminateInstanceInAutoScalingGroup'],
  ...inGroupsOf(cluster),
});

const setSizes = (cluster: string): Statement => ({
  actions: ['autoscaling:SetDesiredCapacity', 'autoscaling:TerminateInstanceInAutoScalingGroup'],
  ...inGroupsOf(cluster),
});

/** In a policy of its own: one that the function depends on cannot name the function. */
function keepCheckpoints(scope: Construct, durable: Function): void {
  new Policy(scope, 'DrainCheckpoints', {
    roles: [durable.role!],
    statements: [
      new PolicyStatement({
        actions: ['lambda:CheckpointDurableExecution', 'lambda:GetDurableExecutionState'],
        resources: [`${durable.functionArn}:*`],
      }),
    ],
  });
}
