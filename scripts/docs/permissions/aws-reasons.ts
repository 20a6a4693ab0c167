/** Why roles have some actions. Each action of a role has one reason. */
export interface Reason {
  readonly roles: readonly string[];
  readonly actions: readonly string[];
  readonly why: string;
  readonly without: string;
}

const EVERY = ['Ingest', 'Wake', 'ScaleUp', 'ScaleDown', 'Drain', 'Actuate', 'Widget'];
const EVALUATIONS = ['ScaleUp', 'ScaleDown'];

export const AWS_REASONS: readonly Reason[] = [
  {
    roles: EVERY,
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    why: 'Queues, the table and the bucket are encrypted by the key of `kmsKeyArn`.',
    without: 'Calls of SQS, DynamoDB and S3 are refused: `EvaluationsFail` is raised.',
  },
  {
    roles: EVERY.filter((role) => role !== 'Ingest'),
    actions: ['kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
    why: 'DynamoDB uses the key of the table in the name of its callers.',
    without: 'Calls of DynamoDB are refused: `EvaluationsFail` is raised.',
  },
  {
    roles: ['Manifests'],
    actions: ['eks:DescribeCluster'],
    why: 'The endpoint and the certificate authority of the cluster that it applies the manifests to.',
    without: 'The stack with `applyManifests` cannot be created.',
  },
  {
    roles: [...EVERY, 'Manifests'],
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    why: 'The log of the function, in its own log group.',
    without: 'The function works, and neither its log nor its metrics exist.',
  },
  {
    roles: EVERY,
    actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
    why: 'Traces. X-Ray knows no resources.',
    without: 'There are no traces.',
  },
  {
    roles: EVALUATIONS,
    actions: ['s3:GetObject'],
    why: 'A cold start begins with the snapshot of a cached list.',
    without: 'Cold starts read lists in full. The log has `The snapshot of pods cannot be read`.',
  },
  {
    roles: EVALUATIONS,
    actions: ['s3:ListBucket'],
    why: 'Without this right, S3 answers alike for a missing snapshot and for a forbidden snapshot. Nothing is listed.',
    without: 'The first cold start says in the log that the snapshot cannot be read.',
  },
  {
    roles: ['ScaleDown'],
    actions: ['s3:PutObject'],
    why: 'Snapshots of cached lists are stored when an evaluation is done.',
    without: 'Cold starts read lists in full. The log has `A snapshot of pods could not be stored`.',
  },
  {
    roles: ['Widget'],
    actions: ['dynamodb:Query'],
    why: 'What is stored of the cluster is shown on its dashboard.',
    without: 'The widget of the dashboard shows an error.',
  },
  {
    roles: ['Ingest'],
    actions: ['sqs:SendMessage'],
    why: 'A webhook notification becomes a wake-up.',
    without: 'Pods wait for the next scheduled evaluation. The log has `The wake-up could not be sent`.',
  },
  {
    roles: ['Wake'],
    actions: ['sqs:SendMessage'],
    why: 'A failed launch, or a notice about an instance of the cluster, becomes a wake-up.',
    without: 'A failed launch or a Spot interruption is seen at the next scheduled evaluation.',
  },
  {
    roles: ['Wake'],
    actions: ['autoscaling:DescribeAutoScalingInstances', 'autoscaling:DescribeAutoScalingGroups'],
    why: 'Which group has an instance with a notice, and whether that group is the cluster’s. Know no resources.',
    without: 'No notice is assigned to the cluster: instances are seen to go when they are gone.',
  },
  {
    roles: ['Wake'],
    actions: ['dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:DeleteItem'],
    why: 'Events that have arrived are stored, and become notices of the cluster, many at a time.',
    without: 'No notice is stored.',
  },
  {
    roles: ['Wake'],
    actions: ['dynamodb:ListStreams', 'dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
    why: 'Lambda follows the table’s stream in the name of the role: an event that has arrived starts the function again.',
    without: 'Events are stored, and none becomes a notice.',
  },
  {
    roles: ['ScaleUp'],
    actions: ['sqs:SendMessage'],
    why: 'Evaluations that are put off, and rechecks after one.',
    without: 'The evaluation is reported as failed, and its wake-up is delivered again.',
  },
  {
    roles: ['ScaleDown'],
    actions: ['sqs:SendMessage'],
    why: 'A removal that waits for scale-up has it evaluated.',
    without: 'The invocation fails after its decision is stored, and scale-up is evaluated at its next scheduled time.',
  },
  {
    roles: ['Actuate'],
    actions: ['sqs:SendMessage'],
    why: 'What was refused or failed has scale-up evaluated again, and drains begin with a message.',
    without:
      'The invocation fails, and scale-up sees the refusal at its next scheduled evaluation; drains are stored, and none goes on.',
  },
  {
    roles: ['Drain'],
    actions: ['sqs:SendMessage'],
    why: 'The message that brings the next round of a drain.',
    without: 'Each round waits for the schedule to find the drain without a driver, about two minutes.',
  },
  {
    roles: ['Drain'],
    actions: [
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ChangeMessageVisibility',
      'sqs:GetQueueUrl',
    ],
    why: 'Lambda receives the rounds of drains in the name of the role.',
    without: 'No node is drained.',
  },
  {
    roles: ['ScaleUp'],
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    why: 'Lambda receives the wake-ups in the name of the role.',
    without: 'Scale-up is never evaluated.',
  },
  {
    roles: ['ScaleUp'],
    actions: ['sqs:ChangeMessageVisibility'],
    why: 'A wake-up whose evaluation failed is delivered again within seconds.',
    without: 'It is delivered again after the visibility timeout, and the newer ones wait behind it.',
  },
  {
    roles: ['ScaleUp'],
    actions: ['sqs:GetQueueUrl'],
    why: 'Part of what the CDK grants to consumers of a queue. Not used.',
    without: 'Nothing changes.',
  },
  {
    roles: ['Wake', ...EVALUATIONS, 'Drain', 'Actuate'],
    actions: ['sts:AssumeRole'],
    why: 'The role in the account of the cluster, for all calls to EKS, EC2 and Auto Scaling: the role has these rights then, and the function does not. Or that of the management cluster of Cluster API.',
    without: 'Nothing is evaluated, set or drained.',
  },
  {
    roles: [...EVALUATIONS, 'Drain'],
    actions: [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
    ],
    why: 'Lambda creates the network interfaces of the function in the name of the role. It checks these rights on all resources; the code of the function is denied them.',
    without: 'The function cannot be created.',
  },
  {
    roles: [...EVALUATIONS, 'Drain', 'Actuate'],
    actions: ['autoscaling:DescribeAutoScalingGroups'],
    why: 'The groups with the cluster’s tags: sizes, limits, instances. Read again before each change. Knows no resources.',
    without: 'Nothing is evaluated, set or drained.',
  },
  {
    roles: EVALUATIONS,
    actions: ['autoscaling:DescribeScalingActivities'],
    why: 'Why instances that were asked for do not come.',
    without: 'A failed launch is noticed after `maxNodeProvisionTime`, 15 minutes, and not within seconds.',
  },
  {
    roles: EVALUATIONS,
    actions: [
      'autoscaling:DescribeLaunchConfigurations',
      'ec2:DescribeLaunchTemplateVersions',
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeImages',
    ],
    why: 'What the next node of a group looks like while none of its nodes shows it.',
    without: 'Groups without nodes are skipped, with the reason in the decision and the log.',
  },
  {
    roles: EVALUATIONS,
    actions: ['ec2:GetInstanceTypesFromInstanceRequirements'],
    why: 'The same for groups that select instance types by attributes.',
    without: 'Such groups are skipped while they have no nodes.',
  },
  {
    roles: EVALUATIONS,
    actions: ['arc-zonal-shift:GetManagedResource', 'ec2:DescribeAvailabilityZones'],
    why: 'Whether traffic of the cluster or of a group is shifted away from a zone. ARC names zones by their IDs.',
    without: 'Nodes are launched and removed in such a zone as in others; the log warns of it once an hour.',
  },
  {
    roles: [...EVALUATIONS, 'Wake'],
    actions: ['events:PutEvents'],
    why: 'Messages about scale-ups, removals, interruptions and problems.',
    without: 'The bus gets no messages, which the log warns of; nothing else changes.',
  },
  {
    roles: ['Messages'],
    actions: ['sns:Publish'],
    why: 'The rule for messages brings them from the bus to the topic.',
    without: 'The topic gets no messages; the rule’s metric `FailedInvocations` counts them.',
  },
  {
    roles: EVALUATIONS,
    actions: ['ec2:DescribeSpotPriceHistory', 'pricing:GetProducts'],
    why: 'Prices, for the expander `price`, `consolidation` and `maxCostPerHour`.',
    without: 'Prices are known from the option `prices` and the tag `outrigger.dev/price` alone.',
  },
  {
    roles: EVALUATIONS,
    actions: [
      'ec2:DescribeCapacityReservations',
      'ec2:DescribeReservedInstances',
      'savingsplans:DescribeSavingsPlanRates',
      'savingsplans:DescribeSavingsPlans',
    ],
    why: 'Capacity that is paid for, with the option `reservedCapacity`.',
    without:
      'Such nodes count at their full price, and on-demand nodes are not consolidated. The log warns once an hour.',
  },
  {
    roles: [...EVALUATIONS, 'Drain'],
    actions: ['eks:DescribeCluster'],
    why: 'The address of the API server and the certificate of its authority.',
    without: 'Nothing is evaluated or drained.',
  },
  {
    roles: ['Actuate'],
    actions: ['eks:DescribeCluster'],
    why: 'The same of the cluster that has the resources of Cluster API, whose sizes are set there.',
    without: 'No size of such a resource is set.',
  },
  {
    roles: ['ScaleUp'],
    actions: ['eks:DescribeNodegroup'],
    why: 'Labels and taints of managed node groups without nodes.',
    without: 'Such groups are evaluated without their labels and taints: those of the Auto Scaling group’s tags apply.',
  },
  {
    roles: ['ScaleDown'],
    actions: ['autoscaling:DescribeInstanceRefreshes'],
    why: 'Whether an instance refresh is replacing the nodes of a group.',
    without: 'The new, still empty nodes of an instance refresh may be removed; the log warns of it once an hour.',
  },
  {
    roles: ['ScaleDown'],
    actions: ['eks:DescribeNodegroup'],
    why: 'The same, and whether EKS is replacing the nodes of a group.',
    without: 'The new, still empty nodes of a managed update may be removed; the log warns of it once an hour.',
  },
  {
    roles: EVALUATIONS,
    actions: ['dynamodb:Query'],
    why: 'The stored state, intents and drains of the cluster.',
    without: 'Nothing is evaluated.',
  },
  {
    roles: EVALUATIONS,
    actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
    why: 'A decision is committed in one transaction of these; ended drains are deleted.',
    without: 'No decision is stored, so none is carried out.',
  },
  {
    roles: ['Drain'],
    actions: ['dynamodb:Query'],
    why: 'Whether scale-down is paused, before each step; and whether the size of the node’s group is being set, before the instance is terminated.',
    without: 'Drains wait, and are rolled back after 15 minutes.',
  },
  {
    roles: ['Drain'],
    actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    why: 'The state of the drain, before and after each step.',
    without: 'No node is drained.',
  },
  {
    roles: ['Actuate'],
    actions: ['dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
    why: 'Intents and pauses are loaded; intents are claimed and ended.',
    without: 'No size is set and no node removed.',
  },
  {
    roles: ['Actuate'],
    actions: ['dynamodb:PutItem'],
    why: 'The drain of a node begins as an item.',
    without: 'No node is removed.',
  },
  {
    roles: ['Actuate'],
    actions: ['dynamodb:ListStreams', 'dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
    why: 'Lambda follows the table’s stream in the name of the role: a new intent starts the function.',
    without: 'Decisions are carried out up to a minute later, by the schedule.',
  },
  {
    roles: ['Actuate'],
    actions: ['autoscaling:SetDesiredCapacity'],
    why: 'Scale-up, and target sizes that are lowered to what exists.',
    without: 'No node is added: the groups are in backoff, and the alarm `NeedsCorrection` is raised.',
  },
  {
    roles: ['Actuate'],
    actions: ['autoscaling:TerminateInstanceInAutoScalingGroup'],
    why: 'Instances that never became nodes are terminated.',
    without: 'They stay, and are paid for.',
  },
  {
    roles: ['Drain'],
    actions: ['autoscaling:TerminateInstanceInAutoScalingGroup'],
    why: 'The last step of a drain; the group becomes one smaller.',
    without: 'Nodes are emptied and not terminated; their drains are rolled back.',
  },
  {
    roles: ['Drain'],
    actions: ['autoscaling:CompleteLifecycleAction', 'autoscaling:RecordLifecycleActionHeartbeat'],
    why: 'An instance that waits for a terminating lifecycle hook of Outrigger goes when its node is drained, and not before.',
    without: 'It goes when the timeout of the hook is over, drained or not.',
  },
  {
    roles: ['ScaleUp'],
    actions: ['lambda:InvokeFunction'],
    why: 'Has the function of the expander `external` choose among node groups.',
    without: 'The next expander chooses. The log has `The external expander of cluster … was not used`.',
  },
  {
    roles: ['Drain'],
    actions: ['lambda:InvokeFunction'],
    why: 'The end of a drain has scale-down evaluated at once.',
    without: 'The next nodes are removed up to a minute later. The log has `waits for its scan`.',
  },
];

/** Why a resource's own policy says something. */
export interface GrantReason {
  /** As the page prints it, such as ``function `Wake` ``. */
  readonly resources: readonly string[];
  readonly actions: readonly string[];
  /** The setting that it depends on; absent: none. */
  readonly where?: string;
  readonly why: string;
}

export const GRANT_REASONS: readonly GrantReason[] = [
  {
    resources: ['function `Ingest`'],
    actions: ['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction'],
    why: 'An API server has no AWS credentials; the second is possible through the URL alone. A call without the token in its path has no effect ([SECURITY.md](../SECURITY.md)).',
  },
  {
    resources: ['function `Wake`'],
    actions: ['lambda:InvokeFunction'],
    why: 'Events of Auto Scaling, EC2 and AWS Health. Without it a failed launch is seen at the next scheduled evaluation, and notices are not seen at all.',
  },
  {
    resources: ['function `ScaleDown`'],
    actions: ['lambda:InvokeFunction'],
    why: 'The schedule. Without it no node is removed, and the alarm `NeedsCorrection` is raised.',
  },
  {
    resources: ['function `Actuate`'],
    actions: ['lambda:InvokeFunction'],
    why: 'The schedule that takes up what was interrupted each minute, also while evaluations are off. Without it, lost drains are not resumed.',
  },
  {
    resources: ['queue `WakeUps`'],
    actions: ['sqs:SendMessage'],
    why: 'The schedule of scale-up. Without it the alarm `EvaluationsFail` is raised.',
  },
  {
    resources: ['queue `WakeUps`'],
    actions: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
    why: 'Part of what the CDK grants to senders. Not used.',
  },
  {
    resources: ['queue `WakeUps`', 'queue `DeadLetters`'],
    actions: ['sqs:*'],
    why: 'Wake-ups are sent and received with TLS alone.',
  },
  {
    resources: ['bucket `Snapshots`'],
    actions: ['s3:*'],
    where: 'snapshots: true',
    why: 'Snapshots are read and stored with TLS alone.',
  },
  {
    resources: ['function `Ingest`'],
    actions: ['lambda:InvokeFunction'],
    where: 'webhook: httpApi',
    why: 'The HTTP API, which API servers call instead of a function URL. Without it, pods wait for the next scheduled evaluation.',
  },
  {
    resources: ['queue `Drains`', 'queue `DrainDeadLetters`'],
    actions: ['sqs:*'],
    why: 'Rounds of drains are sent and received with TLS alone.',
  },
];
