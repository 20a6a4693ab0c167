import path from 'node:path';
import {
  Arn,
  type CfnElement,
  CfnOutput,
  Duration,
  RemovalPolicy,
  Stack,
  type StackProps,
  Validations,
} from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AttributeType, Billing, type ITable, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { type IGrantable, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  FilterCriteria,
  FilterRule,
  type Function,
  FunctionUrlAuthType,
  type IVersion,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { ContextAttribute, Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke, SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { DRAIN_GROUP, KUBERNETES_GROUP, rbac, webhookConfiguration } from './kubernetes.ts';
import type { ClusterSettings } from './settings.ts';
import { standardFunction } from './standard-function.ts';

export interface OutriggerStackProps extends StackProps {
  readonly cluster: ClusterSettings;
  /** The folder that `npm run build:functions` fills, with one folder per function. */
  readonly bundles: string;
}

/**
 * All that looks after one cluster. One stack per cluster: what goes wrong in one, what a role may do and what is
 * destroyed stays with that cluster.
 */
export class OutriggerStack extends Stack {
  readonly #cluster: ClusterSettings;
  readonly #bundles: string;

  constructor(scope: Construct, id: string, { cluster, bundles, ...props }: OutriggerStackProps) {
    super(scope, id, props);
    this.#cluster = cluster;
    this.#bundles = bundles;

    const table = this.#table();
    const { queue, deadLetters } = this.#queues();
    const token = new Secret(this, 'DoorbellToken', {
      description: `The webhook of cluster ${cluster.name}: the token in its URL`,
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
    });

    const queueUrl = { OUTRIGGER_QUEUE_URL: queue.queueUrl };
    const world = {
      ...queueUrl,
      OUTRIGGER_TABLE: table.tableName,
      OUTRIGGER_OPTIONS: JSON.stringify(cluster.options),
      OUTRIGGER_DRY_RUN: String(cluster.dryRun),
    };

    const ingest = this.#function('Ingest', 'ingest', {
      description: 'Webhook: the API server tells of a pod that found no node',
      memoryMiB: 256,
      timeout: Duration.seconds(3),
      environment: { ...queueUrl, OUTRIGGER_TOKEN_SECRET: token.secretArn },
      reservedConcurrency: cluster.doorbellConcurrency,
    });
    ingest.addToRolePolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [token.secretArn] }),
    );
    queue.grant(ingest, 'sqs:SendMessage');
    // API servers have no AWS credentials, so the token in the path is all there is; a call can only cause an evaluation.
    const { url } = ingest.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });

    const wake = this.#function('Wake', 'wake', {
      description: 'Wakes the cluster when something has happened to its machines',
      memoryMiB: 256,
      timeout: Duration.seconds(10),
      environment: queueUrl,
    });
    queue.grant(wake, 'sqs:SendMessage');
    this.#machineEvents(wake);

    const scaleUp = this.#function('ScaleUp', 'scale-up', {
      description: 'Observes the cluster and decides which node groups grow',
      // One whole vCPU: the evaluation is one thread.
      memoryMiB: 1_769,
      timeout: EVALUATION_TIMEOUT,
      environment: world,
    });
    scaleUp.addEventSource(
      new SqsEventSource(queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 2 }),
    );
    queue.grant(scaleUp, 'sqs:SendMessage');
    table.grant(scaleUp, ...TABLE_ACTIONS);
    grantObservation(this, scaleUp, cluster.name);

    const scaleDown = this.#function('ScaleDown', 'scale-down', {
      description: 'Observes the cluster and decides which nodes are not needed',
      memoryMiB: 1_769,
      timeout: EVALUATION_TIMEOUT,
      environment: world,
    });
    queue.grant(scaleDown, 'sqs:SendMessage');
    table.grant(scaleDown, ...TABLE_ACTIONS);
    grantObservation(this, scaleDown, cluster.name);
    grantNodegroups(this, scaleDown, cluster.name);

    const { drain, live } = this.#drain({ ...world, OUTRIGGER_SCALE_DOWN_FUNCTION: scaleDown.functionArn });
    // Only the function itself: nothing calls a version of it.
    drain.addToRolePolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [scaleDown.functionArn] }),
    );
    queue.grant(drain, 'sqs:SendMessage');
    table.grant(drain, ...TABLE_ACTIONS);
    grantDraining(this, drain, cluster.name);

    const actuate = this.#function('Actuate', 'actuate', {
      description: 'Makes what was decided: sets sizes, ends machines that never became nodes, has nodes drained',
      memoryMiB: 512,
      timeout: Duration.seconds(50),
      environment: { ...world, OUTRIGGER_DRAIN_FUNCTION: live.functionArn },
    });
    live.grantInvoke(actuate);
    actuate.addEventSource(
      new DynamoEventSource(table as ITable, {
        startingPosition: StartingPosition.LATEST,
        batchSize: 10,
        // What is older is taken up by the schedule; a stuck record must not hold up the newer ones.
        retryAttempts: 3,
        maxRecordAge: Duration.minutes(2),
        filters: [
          FilterCriteria.filter({
            eventName: FilterRule.isEqual('INSERT'),
            dynamodb: { Keys: { sk: { S: FilterRule.beginsWith('INTENT#') } } },
          }),
        ],
      }),
    );
    queue.grant(actuate, 'sqs:SendMessage');
    table.grant(actuate, ...TABLE_ACTIONS);
    grantActuation(actuate, cluster.name);

    this.#schedules(queue, scaleDown, actuate);
    this.#alarms(deadLetters, { scaleUp, scaleDown, actuate, drain });

    this.#access('AccessEntry', scaleUp, KUBERNETES_GROUP);
    this.#access('ScaleDownAccessEntry', scaleDown, KUBERNETES_GROUP);
    this.#access('DrainAccessEntry', drain, KUBERNETES_GROUP, DRAIN_GROUP);
    this.#outputs(url, token);
    this.#acknowledge({ scaleDown, actuate }, drain);
  }

  /**
   * The function that drains nodes: a durable one, an execution of which waits for minutes and costs nothing meanwhile.
   * It is called by an alias, which names its newest version.
   */
  #drain(environment: Readonly<Record<string, string>>): { readonly drain: Function; readonly live: Alias } {
    const drain = this.#function('Drain', 'drain', {
      description: 'Takes nodes out of the cluster: taints, evicts, waits, ends the machine',
      memoryMiB: 512,
      // One step of a drive takes 40 seconds at most.
      timeout: Duration.seconds(60),
      environment,
      durable: { executionTimeout: Duration.hours(6), retentionPeriod: Duration.days(7) },
    });
    // A policy of its own: one that the function depends on cannot name the function.
    new Policy(this, 'DrainCheckpoints', {
      roles: [drain.role!],
      statements: [
        new PolicyStatement({
          actions: ['lambda:CheckpointDurableExecution', 'lambda:GetDurableExecutionState'],
          resources: [`${drain.functionArn}:*`],
        }),
      ],
    });
    return {
      drain,
      live: new Alias(this, 'DrainLive', { aliasName: 'live', version: drain.currentVersion as IVersion }),
    };
  }

  /** Lets a function into the cluster, with the rights that these groups have there. */
  #access(id: string, { role }: Function, ...kubernetesGroups: string[]): void {
    new CfnAccessEntry(this, id, {
      clusterName: this.#cluster.name,
      principalArn: role!.roleArn,
      kubernetesGroups,
      type: 'STANDARD',
    });
  }

  #function(id: string, folder: string, props: Omit<Parameters<typeof standardFunction>[2], 'bundle'>): Function {
    return standardFunction(this, id, {
      ...props,
      bundle: path.join(this.#bundles, folder),
      environment: { OUTRIGGER_CLUSTER: this.#cluster.name, ...props.environment },
    });
  }

  /** State, intents and decisions. Whoever deletes it deletes what drains are going on: that takes two steps. */
  #table(): TableV2 {
    return new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      timeToLiveAttribute: 'ttl',
      dynamoStream: StreamViewType.KEYS_ONLY,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  #queues(): { readonly queue: Queue; readonly deadLetters: Queue } {
    const deadLetters = new Queue(this, 'DeadLetters', {
      fifo: true,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    const queue = new Queue(this, 'WakeUps', {
      fifo: true,
      // For the schedule, which cannot give a deduplication id; the functions do.
      contentBasedDeduplication: true,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // As long as an evaluation may take, and no longer: until then the cluster's other messages wait behind a lost one.
      visibilityTimeout: EVALUATION_TIMEOUT,
      // An old wake-up says nothing that a newer one does not.
      retentionPeriod: Duration.minutes(10),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
    });
    return { queue, deadLetters };
  }

  /** What Auto Scaling and EC2 tell by themselves. It reaches all clusters of the account: an evaluation too many is harmless. */
  #machineEvents(wake: Function): void {
    new Rule(this, 'MachineEvents', {
      description: 'Launches that failed, Spot instances that are about to go',
      eventPattern: {
        source: ['aws.autoscaling', 'aws.ec2'],
        detailType: ['EC2 Instance Launch Unsuccessful', 'EC2 Spot Instance Interruption Warning'],
      },
      targets: [new LambdaFunction(wake, { retryAttempts: 2, maxEventAge: Duration.minutes(2) })],
    });
  }

  #schedules(queue: Queue, scaleDown: Function, actuate: Function): void {
    const everyMinute = ScheduleExpression.rate(Duration.minutes(1));
    const { name } = this.#cluster;
    new Schedule(this, 'Tick', {
      description: `Evaluates scale-up of cluster ${name}, whatever the webhook says`,
      schedule: everyMinute,
      target: new SqsSendMessage(queue, {
        messageGroupId: name,
        // The time makes each tick a message of its own: deduplication goes by content here.
        input: ScheduleTargetInput.fromObject({ cluster: name, tick: ContextAttribute.scheduledTime }),
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
      }),
    });
    new Schedule(this, 'ScaleDownTick', {
      description: `Evaluates scale-down of cluster ${name}`,
      schedule: everyMinute,
      // Not by the queue: a wake-up that is stuck there does not keep scale-down from its turn.
      target: new LambdaInvoke(scaleDown, {
        input: ScheduleTargetInput.fromObject({ cluster: name }),
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
      }),
    });
    new Schedule(this, 'Resume', {
      description: `Takes up what was decided for cluster ${name} and is not done`,
      schedule: everyMinute,
      target: new LambdaInvoke(actuate, {
        input: ScheduleTargetInput.fromObject({ resume: name }),
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
      }),
    });
  }

  #alarms(
    deadLetters: Queue,
    functions: Readonly<Record<'scaleUp' | 'scaleDown' | 'actuate' | 'drain', Function>>,
  ): void {
    const { name, alarmTopicArn } = this.#cluster;
    const alarm = (id: string, metric: IMetric, evaluationPeriods: number, alarmDescription: string): void => {
      const created = new Alarm(this, id, {
        metric,
        threshold: 1,
        evaluationPeriods,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription,
      });
      if (alarmTopicArn !== undefined) {
        created.addAlarmAction(new SnsAction(Topic.fromTopicArn(this, `${id}Topic`, alarmTopicArn)));
      }
    };
    const period = Duration.minutes(1);
    alarm(
      'EvaluationsFail',
      deadLetters.metricApproximateNumberOfMessagesVisible({ period }),
      1,
      `Cluster ${name} could not be evaluated, several times in a row. See the log of the ScaleUp function.`,
    );
    alarm(
      'ScaleUpCrashes',
      functions.scaleUp.metricErrors({ period }),
      3,
      `The ScaleUp function of cluster ${name} fails or runs out of time.`,
    );
    alarm(
      'ScaleDownFails',
      functions.scaleDown.metricErrors({ period }),
      3,
      `The ScaleDown function of cluster ${name} fails or runs out of time: unneeded nodes stay. See its log.`,
    );
    alarm(
      'ActuateFails',
      functions.actuate.metricErrors({ period }),
      3,
      `Sizes of cluster ${name} are decided, but cannot be set. See the log of the Actuate function.`,
    );
    alarm(
      'DrainFails',
      functions.drain.metricErrors({ period }),
      3,
      `Nodes of cluster ${name} are being removed, and the Drain function fails or runs out of time. See its log.`,
    );
    const ofScaleUp = (metricName: string): Metric =>
      new Metric({
        namespace: 'Outrigger',
        metricName,
        dimensionsMap: { service: 'scale-up', cluster: name },
        statistic: Stats.MAXIMUM,
        period,
      });
    alarm(
      'GroupsToCorrect',
      ofScaleUp('GroupsToCorrect'),
      1,
      `A node group of cluster ${name} is set up wrongly or may not be used, and is left alone. The log of the ScaleUp function names it.`,
    );
    alarm(
      'ItemsQuarantined',
      ofScaleUp('QuarantinedItems'),
      1,
      `Something stored of cluster ${name} cannot be read and is left aside. See the log of the ScaleUp function.`,
    );
  }

  /** What cdk-nag would have otherwise, and why it is as it is. */
  #acknowledge(scheduled: Readonly<Record<'scaleDown' | 'actuate', Function>>, drain: Function): void {
    const nodeGroups = `arn:<AWS::Partition>:eks:<AWS::Region>:<AWS::AccountId>:nodegroup/${this.#cluster.name}/*`;
    const versions = (of: Function): string => `<${this.getLogicalId(of.node.defaultChild as CfnElement)}.Arn>:*`;
    Validations.of(this).acknowledge(
      {
        id: 'AwsSolutions::AwsSolutions-SMG4',
        reason:
          'The token is also in the cluster’s webhook configuration, which no rotation function may write. Both of its versions are accepted, so that people can rotate it.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
        reason:
          'Describe calls of EC2 and Auto Scaling, the price list and the writing of traces know no resources; changes of sizes and terminations are held to the cluster’s groups by a condition on their tag.',
      },
      {
        id: `AwsSolutions::AwsSolutions-IAM5[Resource::${nodeGroups}]`,
        reason: 'The managed node groups of one cluster, whose names are not known here.',
      },
      ...Object.values(scheduled).map((target) => ({
        id: `AwsSolutions::AwsSolutions-IAM5[Resource::${versions(target)}]`,
        reason: 'The scheduler may call the versions of the one function that it is for.',
      })),
      {
        id: `AwsSolutions::AwsSolutions-IAM5[Resource::${versions(drain)}]`,
        reason: 'A durable function keeps the state of its own executions, whose names are not known here.',
      },
    );
  }

  /** Cluster Autoscaler's `--namespace`. */
  #configNamespace(): string | undefined {
    const { namespace } = this.#cluster.options;
    return typeof namespace === 'string' ? namespace : undefined;
  }

  #outputs(url: string, token: Secret): void {
    const { name } = this.#cluster;
    new CfnOutput(this, 'Rbac', {
      description: 'What the functions may read in the cluster: kubectl apply -f - with this',
      value: JSON.stringify(rbac(this.#configNamespace())),
    });
    new CfnOutput(this, 'WebhookTokenSecret', {
      description: `Replace TOKEN in Webhook by: aws secretsmanager get-secret-value --query SecretString --output text --secret-id`,
      value: token.secretArn,
    });
    new CfnOutput(this, 'Webhook', {
      description: 'The webhook that tells of pods without a node: kubectl apply -f - with this, TOKEN replaced',
      value: JSON.stringify(webhookConfiguration(name, `${url}TOKEN/${name}`, this.#cluster.schedulerUsers)),
    });
  }
}

/** Also how long the queue hides a message that is being worked on. */
const EVALUATION_TIMEOUT = Duration.seconds(60);

/** Loads and conditional writes, single and in transactions. No scans, no administration. */
const TABLE_ACTIONS = [
  'dynamodb:Query',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
];

/** EC2's and Auto Scaling's Describe calls and the price list know no resources: `*` is all that they can be given. */
function grantObservation(stack: Stack, grantee: IGrantable, cluster: string): void {
  const statements = [
    new PolicyStatement({
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
    }),
    new PolicyStatement({
      actions: ['eks:DescribeCluster'],
      resources: [Arn.format({ service: 'eks', resource: 'cluster', resourceName: cluster }, stack)],
    }),
  ];
  for (const statement of statements) {
    grantee.grantPrincipal.addToPrincipalPolicy(statement);
  }
}

/** Whether EKS is updating a managed node group is asked before a node of it is removed. */
function grantNodegroups(stack: Stack, grantee: IGrantable, cluster: string): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['eks:DescribeNodegroup'],
      resources: [Arn.format({ service: 'eks', resource: 'nodegroup', resourceName: `${cluster}/*` }, stack)],
    }),
  );
}

/** Machines may be ended in groups that are tagged as this cluster's, and in no others; sizes are not set. */
function grantDraining(stack: Stack, grantee: IGrantable, cluster: string): void {
  for (const statement of [
    new PolicyStatement({ actions: ['autoscaling:DescribeAutoScalingGroups'], resources: ['*'] }),
    new PolicyStatement({
      actions: ['eks:DescribeCluster'],
      resources: [Arn.format({ service: 'eks', resource: 'cluster', resourceName: cluster }, stack)],
    }),
    new PolicyStatement({
      actions: ['autoscaling:TerminateInstanceInAutoScalingGroup'],
      resources: ['*'],
      conditions: { Null: { [`aws:ResourceTag/k8s.io/cluster-autoscaler/${cluster}`]: 'false' } },
    }),
  ]) {
    grantee.grantPrincipal.addToPrincipalPolicy(statement);
  }
}

/** Sizes may be set, and instances ended, in groups that are tagged as this cluster's, and in no others. */
function grantActuation(grantee: IGrantable, cluster: string): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['autoscaling:DescribeAutoScalingGroups'], resources: ['*'] }),
  );
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['autoscaling:SetDesiredCapacity', 'autoscaling:TerminateInstanceInAutoScalingGroup'],
      resources: ['*'],
      conditions: { Null: { [`aws:ResourceTag/k8s.io/cluster-autoscaler/${cluster}`]: 'false' } },
    }),
  );
}
