import { Arn, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Functions } from './functions.ts';

/** What the functions may do on AWS, beside writing their logs and receiving what feeds them. */
export interface Resources {
  readonly cluster: string;
  readonly queue: Queue;
  readonly table: TableV2;
  readonly token: Secret;
}

export function grantPermissions(scope: Construct, functions: Functions, resources: Resources): void {
  const { ingest, wake, scaleUp, scaleDown, drain, liveDrain, actuate } = functions;
  const { cluster, queue, table, token } = resources;
  for (const waking of [ingest, wake, scaleUp, scaleDown, drain, actuate]) {
    queue.grant(waking, 'sqs:SendMessage');
  }
  for (const stateful of [scaleUp, scaleDown, drain, actuate]) {
    table.grant(stateful, ...TABLE_ACTIONS);
  }
  allow(ingest, readToken(token));
  allow(scaleUp, OBSERVATION, describeCluster(scope, cluster));
  allow(scaleDown, OBSERVATION, describeCluster(scope, cluster), describeNodegroups(scope, cluster));
  allow(drain, DESCRIBE_GROUPS, describeCluster(scope, cluster), endInstances(cluster), start(scaleDown));
  keepCheckpoints(scope, drain);
  allow(actuate, DESCRIBE_GROUPS, setSizes(cluster));
  liveDrain.grantInvoke(actuate);
}

type Statement = ConstructorParameters<typeof PolicyStatement>[0] & object;

function allow({ grantPrincipal }: Function, ...statements: readonly Statement[]): void {
  for (const statement of statements) {
    grantPrincipal.addToPrincipalPolicy(new PolicyStatement(statement));
  }
}

/** Loads and conditional writes, single and in transactions. No scans, no administration. */
const TABLE_ACTIONS = [
  'dynamodb:Query',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
];

const readToken = (token: Secret): Statement => ({
  actions: ['secretsmanager:GetSecretValue'],
  resources: [token.secretArn],
});

/** EC2's and Auto Scaling's Describe calls and the price list know no resources: `*` is all that they can be given. */
const OBSERVATION: Statement = {
  actions: [
    'autoscaling:DescribeAutoScalingGroups',
    'autoscaling:DescribeLaunchConfigurations',
    'autoscaling:DescribeScalingActivities',
    'ec2:DescribeImages',
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeLaunchTemplateVersions',
    'ec2:DescribeSpotPriceHistory',
    'ec2:GetInstanceTypesFromInstanceRequirements',
    'pricing:GetProducts',
  ],
  resources: ['*'],
};

const DESCRIBE_GROUPS: Statement = { actions: ['autoscaling:DescribeAutoScalingGroups'], resources: ['*'] };

const describeCluster = (scope: Construct, cluster: string): Statement => ({
  actions: ['eks:DescribeCluster'],
  resources: [Arn.format({ service: 'eks', resource: 'cluster', resourceName: cluster }, Stack.of(scope))],
});

/** Before a node of a managed node group is removed: whether EKS is updating the group. */
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
