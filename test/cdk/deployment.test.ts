import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { CLAIM, createActuate } from '../../functions/actuate/actuate.ts';
import { STEP_MS } from '../../functions/drain/pace.ts';
import { type ScaleDownEvent, scaleDownHandler } from '../../functions/scale-down/scale-down.ts';
import { parseWakeUp } from '../../functions/shared/wake-up.ts';
import { commitOf, intentOf } from '../providers/state-store.contract.ts';
import { group } from '../scenario-builders.ts';
import { invocation, testWorld, WEB } from '../functions/test-world.ts';
import { stackFor, TOPIC } from './stack-for.ts';

const template = Template.fromStack(stackFor({ alarmTopicArn: TOPIC }));
const dryRun = Template.fromStack(stackFor({ dryRun: true }));

interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** The one resource of a type whose logical id begins so: the rest of an id is a hash. */
function the(type: string, id: string, of = template): Resource & { readonly id: string } {
  const found = Object.entries(of.findResources(type)).filter(([key]) => new RegExp(`^${id}[0-9A-F]{8}$`).test(key));
  expect(found.map(([key]) => key)).toHaveLength(1);
  const [[key, resource]] = found as [[string, Resource]];
  return { ...resource, id: key };
}

interface FunctionProperties {
  readonly Timeout: number;
  readonly Role: { readonly 'Fn::GetAtt': readonly [string, string] };
  readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
}

const propertiesOf = (name: string, of = template): FunctionProperties =>
  the('AWS::Lambda::Function', name, of).Properties as unknown as FunctionProperties;

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** What the role of a function may do. */
function statementsOf(name: string): readonly Statement[] {
  const [role] = propertiesOf(name).Role['Fn::GetAtt'];
  return Object.values(template.findResources('AWS::IAM::Policy')).flatMap((policy) => {
    const { Roles, PolicyDocument } = (policy as Resource).Properties as unknown as {
      readonly Roles: readonly { readonly Ref: string }[];
      readonly PolicyDocument: { readonly Statement: readonly Statement[] };
    };
    return Roles.some(({ Ref }) => Ref === role) ? PolicyDocument.Statement : [];
  });
}

const prefixed = (prefix: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `${prefix}:${name}`);

/** Of every function: its log, its traces, wake-ups. */
const COMMON = [
  ...prefixed('logs', 'CreateLogStream', 'PutLogEvents'),
  ...prefixed('xray', 'PutTelemetryRecords', 'PutTraceSegments'),
  'sqs:SendMessage',
];
const ITEMS = prefixed('dynamodb', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem');
const CLUSTER = { OUTRIGGER_CLUSTER: 'web', OUTRIGGER_QUEUE_URL: { Ref: expect.stringMatching(/^WakeUps/) } };
const WORLD = {
  ...CLUSTER,
  OUTRIGGER_TABLE: { Ref: expect.stringMatching(/^Table/) },
  OUTRIGGER_OPTIONS: '{}',
  OUTRIGGER_DRY_RUN: 'false',
};

const FUNCTIONS = [
  {
    name: 'Ingest',
    timeout: 3,
    environment: { ...CLUSTER, OUTRIGGER_TOKEN_SECRET: { Ref: expect.stringMatching(/^DoorbellToken/) } },
    actions: ['secretsmanager:GetSecretValue'],
  },
  { name: 'Wake', timeout: 10, environment: CLUSTER, actions: [] },
  {
    name: 'ScaleUp',
    timeout: 60,
    environment: WORLD,
    actions: [
      ...ITEMS,
      ...prefixed(
        'autoscaling',
        'DescribeAutoScalingGroups',
        'DescribeLaunchConfigurations',
        'DescribeScalingActivities',
      ),
      ...prefixed('ec2', 'DescribeImages', 'DescribeInstanceTypes', 'DescribeLaunchTemplateVersions'),
      ...prefixed('ec2', 'DescribeSpotPriceHistory', 'GetInstanceTypesFromInstanceRequirements'),
      'eks:DescribeCluster',
      'pricing:GetProducts',
      // It receives from the queue.
      ...prefixed('sqs', 'ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl'),
      'sqs:ReceiveMessage',
    ],
  },
  {
    name: 'ScaleDown',
    timeout: 60,
    environment: WORLD,
    actions: [
      ...ITEMS,
      ...prefixed(
        'autoscaling',
        'DescribeAutoScalingGroups',
        'DescribeLaunchConfigurations',
        'DescribeScalingActivities',
      ),
      ...prefixed('ec2', 'DescribeImages', 'DescribeInstanceTypes', 'DescribeLaunchTemplateVersions'),
      ...prefixed('ec2', 'DescribeSpotPriceHistory', 'GetInstanceTypesFromInstanceRequirements'),
      ...prefixed('eks', 'DescribeCluster', 'DescribeNodegroup'),
      'pricing:GetProducts',
    ],
  },
  {
    name: 'Drain',
    timeout: 60,
    environment: {
      ...WORLD,
      OUTRIGGER_SCALE_DOWN_FUNCTION: { 'Fn::GetAtt': [expect.stringMatching(/^ScaleDown/), 'Arn'] },
    },
    actions: [
      ...ITEMS,
      ...prefixed('autoscaling', 'DescribeAutoScalingGroups', 'TerminateInstanceInAutoScalingGroup'),
      'eks:DescribeCluster',
      ...prefixed('lambda', 'CheckpointDurableExecution', 'GetDurableExecutionState', 'InvokeFunction'),
    ],
  },
  {
    name: 'Actuate',
    timeout: 50,
    environment: { ...WORLD, OUTRIGGER_DRAIN_FUNCTION: { Ref: expect.stringMatching(/^DrainLive/) } },
    actions: [
      ...ITEMS,
      ...prefixed('dynamodb', 'DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'),
      ...prefixed('autoscaling', 'DescribeAutoScalingGroups', 'SetDesiredCapacity'),
      'autoscaling:TerminateInstanceInAutoScalingGroup',
      'lambda:InvokeFunction',
    ],
  },
];

describe.each(FUNCTIONS)('function $name', ({ name, timeout, environment, actions }) => {
  it(`has ${timeout} seconds`, () => {
    expect(propertiesOf(name).Timeout).toBe(timeout);
  });

  it('is told what it needs, and nothing else', () => {
    expect(propertiesOf(name).Environment.Variables).toEqual(environment);
  });

  it('may do this, and nothing else', () => {
    const allowed = new Set(statementsOf(name).flatMap(({ Action }) => Action));
    expect([...allowed].toSorted()).toEqual([...COMMON, ...actions].toSorted());
  });
});

it('a dry run changes nothing, in any function that could', () => {
  const acting = FUNCTIONS.filter(({ actions }) => /dynamodb|autoscaling/.test(actions.join()));
  expect(
    acting.map(({ name }) => [name, propertiesOf(name, dryRun).Environment.Variables['OUTRIGGER_DRY_RUN']]),
  ).toEqual(['ScaleUp', 'ScaleDown', 'Drain', 'Actuate'].map((name) => [name, 'true']));
});

describe('times', () => {
  it('of a claim outlast the function that holds it, on a clock that is a minute off', () => {
    expect(propertiesOf('Actuate').Timeout * 1_000 + 60_000).toBeLessThanOrEqual(CLAIM);
  });

  it('of a drain’s step end before the function does', () => {
    expect(propertiesOf('Drain').Timeout * 1_000).toBeGreaterThanOrEqual(STEP_MS + 10_000);
  });

  it('of the queue are those of the function that receives from it', () => {
    const { VisibilityTimeout, MessageRetentionPeriod } = the('AWS::SQS::Queue', 'WakeUps').Properties;
    expect(VisibilityTimeout).toBe(propertiesOf('ScaleUp').Timeout);
    // An old wake-up says nothing that a newer one does not.
    expect(MessageRetentionPeriod).toBe(600);
  });
});

describe('the schedule', () => {
  const inputOf = (id: string): string => {
    const { Target, ScheduleExpression, State } = the('AWS::Scheduler::Schedule', id).Properties as {
      readonly Target: { readonly Input: string };
      readonly ScheduleExpression: string;
      readonly State: string;
    };
    expect([ScheduleExpression, State]).toEqual(['rate(1 minute)', 'ENABLED']);
    return Target.Input;
  };

  it('sends ticks that are read as such', () => {
    expect(parseWakeUp(inputOf('Tick'))).toEqual({ ok: true, value: { cluster: 'web', wakeUp: { kind: 'tick' } } });
  });

  it('starts scale-down by itself, past the queue, and does not repeat what failed', async () => {
    const world = testWorld({ groups: [group('a')] });
    await scaleDownHandler(world)(JSON.parse(inputOf('ScaleDownTick')) as ScaleDownEvent, invocation());
    expect((await world.store.lastDecision(WEB))?.evaluation).toBe('ScaleDown');
    expect(the('AWS::Scheduler::Schedule', 'ScaleDownTick').Properties['Target']).toMatchObject({
      Arn: { 'Fn::GetAtt': [the('AWS::Lambda::Function', 'ScaleDown').id, 'Arn'] },
      RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
    });
  });

  it('has what was left behind taken up by the function that acts on decisions', async () => {
    const world = testWorld({ groups: [group('a')] });
    await world.store.commit(WEB, commitOf(0, { intents: [intentOf(1, 'a', { from: 0, to: 2 })] }));
    await createActuate(world)(JSON.parse(inputOf('Resume')) as { resume: string }, invocation());
    expect(world.groups.calls).toEqual([['a', 2]]);
    expect(the('AWS::Scheduler::Schedule', 'Resume').Properties['Target']).toMatchObject({
      Arn: { 'Fn::GetAtt': [the('AWS::Lambda::Function', 'Actuate').id, 'Arn'] },
    });
  });
});

describe('what feeds the functions', () => {
  it('gives two evaluations at a time, no more', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: the('AWS::Lambda::Function', 'ScaleUp').id },
      EventSourceArn: { 'Fn::GetAtt': [the('AWS::SQS::Queue', 'WakeUps').id, 'Arn'] },
      ScalingConfig: { MaximumConcurrency: 2 },
      BatchSize: 10,
    });
  });

  it('tries a record of the stream again, for as long as no resumption has come', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: the('AWS::Lambda::Function', 'Actuate').id },
      MaximumRetryAttempts: 3,
      MaximumRecordAgeInSeconds: 120,
    });
  });

  it('lets a function send to the queue, and read the token, that are its own', () => {
    const queue = { 'Fn::GetAtt': [the('AWS::SQS::Queue', 'WakeUps').id, 'Arn'] };
    for (const { name } of FUNCTIONS) {
      const sends = statementsOf(name).filter(({ Action }) => [Action].flat().includes('sqs:SendMessage'));
      expect(sends).toMatchObject([{ Resource: queue }]);
    }
    const reads = statementsOf('Ingest').filter(({ Action }) => Action === 'secretsmanager:GetSecretValue');
    expect(reads).toMatchObject([{ Resource: { Ref: the('AWS::SecretsManager::Secret', 'DoorbellToken').id } }]);
  });
});

describe('alarms', () => {
  it.each([
    { id: 'EvaluationsFail', metric: 'ApproximateNumberOfMessagesVisible', statistic: 'Maximum', minutes: 1 },
    { id: 'ScaleUpCrashes', metric: 'Errors', statistic: 'Sum', minutes: 3 },
    { id: 'ScaleDownFails', metric: 'Errors', statistic: 'Sum', minutes: 3 },
    { id: 'ActuateFails', metric: 'Errors', statistic: 'Sum', minutes: 3 },
    { id: 'DrainFails', metric: 'Errors', statistic: 'Sum', minutes: 3 },
    { id: 'GroupsToCorrect', metric: 'GroupsToCorrect', statistic: 'Maximum', minutes: 1 },
    { id: 'ItemsQuarantined', metric: 'QuarantinedItems', statistic: 'Maximum', minutes: 1 },
  ])('$id rings when there is one or more in each of $minutes minutes', ({ id, metric, statistic, minutes }) => {
    expect(the('AWS::CloudWatch::Alarm', id).Properties).toMatchObject({
      MetricName: metric,
      Statistic: statistic,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: minutes,
      TreatMissingData: 'notBreaching',
      AlarmActions: [TOPIC],
    });
  });

  it('are these seven', () => {
    template.resourceCountIs('AWS::CloudWatch::Alarm', 7);
  });

  it.each(['ScaleUp', 'ScaleDown', 'Actuate', 'Drain'])('of failures watch the function %s', (name) => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: the('AWS::Lambda::Function', name).id } }],
    });
  });
});

describe('the table', () => {
  it('is deleted in two steps', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      Properties: { Replicas: [Match.objectLike({ DeletionProtectionEnabled: true })] },
    });
  });
});
