import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { dryRunOf } from '../../core/actuation/commit/dry-run-state.ts';
import { CLAIM, createActuate } from '../../functions/actuate/actuate.ts';
import { ANSWER_LIMIT } from '../../core/drain/limits.ts';
import { STEP_MS } from '../../functions/drain/step-limits.ts';
import { type ScaleDownEvent, scaleDownHandler } from '../../functions/scale-down/scale-down.ts';
import { parseWakeUp } from '../../providers/schema/wake-up.ts';
import { partitionOf } from '../../core/model/table-keys.ts';
import { commitOf, intentOf } from '../providers/state-store.contract.ts';
import { group } from '../scenario-builders.ts';
import { invocation, testWorld, WEB } from '../functions/test-world.ts';
import { readClusters } from '../../cdk/settings.ts';
import { templateFor, TOPIC } from './stack-for.ts';

const template = templateFor({ alarmTopicArn: TOPIC });
const dryRun = templateFor({ dryRun: true });

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

/** Statements of the role of a function. */
function statementsOf(name: string, of = template): readonly Statement[] {
  const [role] = propertiesOf(name, of).Role['Fn::GetAtt'];
  return Object.values(of.findResources('AWS::IAM::Policy')).flatMap((policy) => {
    const { Roles, PolicyDocument } = (policy as Resource).Properties as unknown as {
      readonly Roles: readonly { readonly Ref: string }[];
      readonly PolicyDocument: { readonly Statement: readonly Statement[] };
    };
    return Roles.some(({ Ref }) => Ref === role) ? PolicyDocument.Statement : [];
  });
}

const UNTRACED = { POWERTOOLS_TRACE_ENABLED: 'false' };
const CLUSTER = { OUTRIGGER_CLUSTER: 'web', OUTRIGGER_QUEUE_URL: { Ref: expect.stringMatching(/^WakeUps/) } };
const WORLD = {
  ...CLUSTER,
  OUTRIGGER_TABLE: { Ref: expect.stringMatching(/^Table/) },
  OUTRIGGER_OPTIONS: '{}',
  OUTRIGGER_DRY_RUN: 'false',
};

const EVALUATION = { ...WORLD, NODE_OPTIONS: '--max-semi-space-size=16' };

const DRAINS = { OUTRIGGER_DRAIN_QUEUE_URL: { Ref: expect.stringMatching(/^Drains/) } };

/** The items of a list, separated by commas. */
const joined = (list: string) => ({ 'Fn::Join': [',', { Ref: list }] });

const ENVIRONMENTS: Readonly<Record<string, object>> = {
  Ingest: { ...CLUSTER, OUTRIGGER_TOKEN_HASHES: joined('WebhookTokenHashes') },
  Wake: WORLD,
  ScaleUp: EVALUATION,
  ScaleDown: EVALUATION,
  Drain: {
    ...WORLD,
    ...DRAINS,
    OUTRIGGER_SCALE_DOWN_FUNCTION: { 'Fn::GetAtt': [expect.stringMatching(/^ScaleDown/), 'Arn'] },
  },
  Actuate: { ...WORLD, ...DRAINS },
  Widget: {
    OUTRIGGER_CLUSTER: 'web',
    OUTRIGGER_TABLE: { Ref: expect.stringMatching(/^Table/) },
    OUTRIGGER_OPTIONS: '{}',
  },
};
const FUNCTIONS = Object.keys(ENVIRONMENTS);

// Timeouts are in lambda-rules.test.ts, rights in permissions-page.test.ts.
it.each(Object.entries(ENVIRONMENTS))('function %s is told what it needs, and nothing else', (name, environment) => {
  expect(propertiesOf(name).Environment.Variables).toEqual({ ...UNTRACED, ...environment });
});

it('a dry run changes nothing, in any function that could', () => {
  const modes = FUNCTIONS.map((name) => [name, propertiesOf(name, dryRun).Environment.Variables['OUTRIGGER_DRY_RUN']]);
  expect(modes.filter(([, mode]) => mode !== undefined)).toEqual(
    ['Wake', 'ScaleUp', 'ScaleDown', 'Drain', 'Actuate'].map((name) => [name, 'true']),
  );
});

it('the functions know that there is no webhook, where there is none: nothing is to be heard from it', () => {
  const told = (of: Template): unknown => propertiesOf('ScaleUp', of).Environment.Variables['OUTRIGGER_WEBHOOK'];
  expect(told(template)).toBeUndefined();
  expect(told(templateFor({ webhook: 'none' }))).toBe('none');
});

it.each([{ expander: 'priority,price' }, { consolidation: 'replace' }, { maxCostPerHour: 5 }])(
  'prices are read for %j, which goes by them',
  (options) => {
    const priced = templateFor({ options });
    const more = (name: string, of: Template): readonly string[] =>
      statementsOf(name, of)
        .flatMap(({ Action }) => Action)
        .filter((action) => /Price|pricing/.test(action));
    for (const name of FUNCTIONS) {
      expect(more(name, template)).toEqual([]);
      expect(more(name, priced)).toEqual(
        name.startsWith('Scale') ? ['ec2:DescribeSpotPriceHistory', 'pricing:GetProducts'] : [],
      );
    }
  },
);

describe('a stack that observes', () => {
  it('is what settings without a mode make', () => {
    const [cluster] = readClusters([{ name: 'web' }]);
    expect(cluster).toMatchObject({ dryRun: true });
  });

  it('has no function that may change a size, end an instance or take part in what is stored of the cluster', () => {
    for (const name of FUNCTIONS) {
      const statements = statementsOf(name, dryRun);
      expect(statements.flatMap(({ Action }) => Action).join()).not.toMatch(
        /SetDesiredCapacity|TerminateInstanceInAutoScalingGroup|LifecycleAction/,
      );
      const writing = statements.filter(({ Action }) => /PutItem|UpdateItem|DeleteItem/.test([Action].join()));
      expect(writing).toMatchObject(
        name.startsWith('Scale')
          ? [{ Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [partitionOf(dryRunOf(WEB))] } } }]
          : [],
      );
    }
  });

  it.each([
    ['observes', dryRun, [{ source: ['aws.arc-zonal-shift'] }]],
    ['has resources of Cluster API alone', templateFor({ clusterApi: { autoScalingGroups: false } })],
  ])('is woken by what AWS announces, and takes no notices, where it %s', (_, of, zones = []) => {
    const allowed = new Set(statementsOf('Wake', of).flatMap(({ Action }) => Action));
    expect([...allowed].filter((action) => !action.startsWith('logs:'))).toEqual(['sqs:SendMessage']);
    const patterns = Object.values(of.findResources('AWS::Events::Rule')).flatMap(
      (rule) => (rule as Resource).Properties['EventPattern'] ?? [],
    );
    expect(patterns).toEqual([
      {
        source: ['aws.autoscaling', 'aws.ec2'],
        'detail-type': ['EC2 Instance Launch Unsuccessful', 'EC2 Spot Instance Interruption Warning'],
      },
      ...zones,
    ]);
    expect(JSON.stringify(of.findResources('AWS::Lambda::EventSourceMapping'))).not.toContain('ARRIVED');
  });

  it('has no function that may evict pods', () => {
    expect(JSON.stringify(dryRun.findResources('AWS::EKS::AccessEntry'))).not.toContain('outrigger-drain');
  });
});

it.each([
  { size: 'small', MemorySize: 768, Timeout: 60 },
  { size: 'medium', MemorySize: 1_769, Timeout: 60 },
  { size: 'large', MemorySize: 3_008, Timeout: 180 },
])('a $size cluster is evaluated with $MemorySize MB in $Timeout s, and wake-ups wait for as long', (expected) => {
  const { size, ...resources } = expected;
  const sized = templateFor({ size });
  for (const name of ['ScaleUp', 'ScaleDown']) {
    expect(propertiesOf(name, sized)).toMatchObject(resources);
  }
  expect(the('AWS::SQS::Queue', 'WakeUps', sized).Properties['VisibilityTimeout']).toBe(resources.Timeout);
});

describe('times', () => {
  it('of a claim outlast the function that holds it, on a clock that is a minute off', () => {
    expect(propertiesOf('Actuate').Timeout * 1_000 + 60_000).toBeLessThanOrEqual(CLAIM);
  });

  it('of a drain’s step end before the function does', () => {
    expect(propertiesOf('Drain').Timeout * 1_000).toBeGreaterThanOrEqual(STEP_MS + 10_000);
  });

  it('of a drain’s step are over before what it has requested counts as not done', () => {
    expect(ANSWER_LIMIT).toBeGreaterThan(STEP_MS);
  });

  it('of the queue are those of the function that receives from it', () => {
    const { VisibilityTimeout, MessageRetentionPeriod } = the('AWS::SQS::Queue', 'WakeUps').Properties;
    expect(VisibilityTimeout).toBe(propertiesOf('ScaleUp').Timeout);
    // An old wake-up says nothing that a newer one does not.
    expect(MessageRetentionPeriod).toBe(600);
    expect(the('AWS::SQS::Queue', 'DeadLetters').Properties['MessageRetentionPeriod']).toBe(3_600);
  });
});

describe('the schedule', () => {
  interface Target {
    readonly Arn: { readonly 'Fn::GetAtt': readonly [string, string] };
    readonly Input?: string;
    readonly InputTransformer?: { readonly InputTemplate: string };
  }
  const { Targets, ScheduleExpression, State } = the('AWS::Events::Rule', 'Scan').Properties as {
    readonly Targets: readonly Target[];
    readonly ScheduleExpression: string;
    readonly State: unknown;
  };
  const resume = the('AWS::Events::Rule', 'Resume');
  const resumption = resume.Properties as {
    readonly Targets: readonly Target[];
    readonly ScheduleExpression: string;
    readonly State: unknown;
  };
  const targetOf = (type: string, id: string): Target => {
    const found = [...Targets, ...resumption.Targets].filter(({ Arn }) => Arn['Fn::GetAtt'][0] === the(type, id).id);
    expect(found).toHaveLength(1);
    return found[0]!;
  };
  const inputTo = (type: string, id: string): unknown => {
    const { Input, InputTransformer } = targetOf(type, id);
    return JSON.parse(Input ?? InputTransformer!.InputTemplate.replace('<time>', '"2026-01-01T12:00:00Z"'));
  };

  it('has three targets every minute, one of which stays on, and repeats nothing that failed', () => {
    expect([ScheduleExpression, State, Targets.length]).toEqual(['rate(1 minute)', { Ref: 'Schedules' }, 2]);
    expect([resumption.ScheduleExpression, resumption.State]).toEqual(['rate(1 minute)', 'ENABLED']);
    expect(resumption.Targets).toHaveLength(1);
    for (const target of [...Targets, ...resumption.Targets]) {
      expect(target).toMatchObject({ RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } });
    }
  });

  it('sends scans that are read as such', () => {
    expect(parseWakeUp(JSON.stringify(inputTo('AWS::SQS::Queue', 'WakeUps')))).toEqual({
      ok: true,
      value: { cluster: 'web', wakeUp: { kind: 'scan' } },
    });
  });

  it('starts scale-down by itself, past the queue', async () => {
    const world = testWorld({ groups: [group('a')] });
    await scaleDownHandler(world)(inputTo('AWS::Lambda::Function', 'ScaleDown') as ScaleDownEvent, invocation());
    expect((await world.store.lastDecision(WEB))?.evaluation).toBe('ScaleDown');
  });

  it('has what was left behind taken up by the function that acts on decisions', async () => {
    const world = testWorld({ groups: [group('a')] });
    await world.store.commit(WEB, commitOf(0, { intents: [intentOf(1, 'a', { from: 0, to: 2 })] }));
    await createActuate(world)(inputTo('AWS::Lambda::Function', 'Actuate') as { resume: string }, invocation());
    expect(world.groups.calls).toEqual([['a', 2]]);
  });
});

describe('the parameter Schedules', () => {
  it('switches evaluations by schedule, not what ends drains or happens by events, and is on unless it is given', () => {
    const rules = Object.values(template.findResources('AWS::Events::Rule')).map(
      (rule) => (rule as Resource).Properties,
    );
    const stateOf = (scheduled: boolean): readonly unknown[] =>
      rules.filter((rule) => 'ScheduleExpression' in rule === scheduled).map(({ State }) => State);
    expect(stateOf(true)).toHaveLength(2);
    expect(stateOf(true)).toEqual(expect.arrayContaining(['ENABLED', { Ref: 'Schedules' }]));
    expect(stateOf(false)).toEqual(['ENABLED', 'ENABLED', 'ENABLED', 'ENABLED']);
    template.hasParameter('Schedules', { Default: 'ENABLED', AllowedValues: ['ENABLED', 'DISABLED'] });
  });

  it('keeps scale-down from running at all while it is off, which ended drains would start', () => {
    template.hasCondition('Paused', { 'Fn::Equals': [{ Ref: 'Schedules' }, 'DISABLED'] });
    const stopped = Object.entries(template.findResources('AWS::Lambda::Function')).flatMap(([id, resource]) => {
      const reserved = (resource as Resource).Properties['ReservedConcurrentExecutions'];
      return typeof reserved === 'object' ? [[id, reserved]] : [];
    });
    expect(stopped).toEqual([
      [the('AWS::Lambda::Function', 'ScaleDown').id, { 'Fn::If': ['Paused', 0, { Ref: 'AWS::NoValue' }] }],
    ]);
  });

  it('keeps alarms from notifying while it is off', () => {
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
      (alarm) => (alarm as Resource).Properties['ActionsEnabled'],
    );
    expect(alarms).toEqual([{ 'Fn::If': ['Paused', false, true] }, { 'Fn::If': ['Paused', false, true] }]);
  });
});

describe('the hashes of the webhook’s tokens', () => {
  const HASH = 'a'.repeat(64);
  const known = (settings: object, of = templateFor(settings)) => ({
    given: propertiesOf('Ingest', of).Environment.Variables['OUTRIGGER_TOKEN_HASHES'],
    parameters: Object.keys(of.findParameters('WebhookTokenHashes')),
    output: of.findOutputs('AcceptedTokenHashes')['AcceptedTokenHashes'],
    conditions: of.findConditions('HasWebhookToken'),
  });

  it('are a parameter of the stack, empty at first, where the settings do not have them', () => {
    const [parameter] = Object.values(template.findParameters('WebhookTokenHashes'));
    expect(parameter).toMatchObject({ Type: 'CommaDelimitedList', Default: '' });
    const pattern = new RegExp((parameter as { AllowedPattern: string }).AllowedPattern);
    expect(['', HASH, HASH.toUpperCase(), HASH.slice(1), `${HASH}a`].filter((text) => pattern.test(text))).toEqual([
      '',
      HASH,
    ]);
    expect(known({}).output).toMatchObject({ Value: joined('WebhookTokenHashes'), Condition: 'HasWebhookToken' });
    expect(known({}).conditions).toEqual({
      HasWebhookToken: { 'Fn::Not': [{ 'Fn::Equals': [{ 'Fn::Join': ['', { Ref: 'WebhookTokenHashes' }] }, ''] }] },
    });
  });

  it('are those of the settings, and then no parameter', () => {
    const two = `${HASH},${'b'.repeat(64)}`;
    expect(known({ webhookTokenHashes: two.split(',') })).toMatchObject({
      given: two,
      parameters: [],
      output: { Value: two },
    });
    expect(known({ webhookTokenHashes: [] })).toMatchObject({ given: '', parameters: [], output: undefined });
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
      BatchSize: 10,
      MaximumRetryAttempts: 3,
      MaximumRecordAgeInSeconds: 120,
    });
    // Nothing else looks for events that have arrived.
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: the('AWS::Lambda::Function', 'Wake').id },
      MaximumRetryAttempts: 10_000,
      MaximumRecordAgeInSeconds: 900,
    });
  });
});

describe('alarms', () => {
  const alarms = template.findResources('AWS::CloudWatch::Alarm');
  const alarm = (id: string): object => {
    const found = Object.keys(alarms).filter((key) => new RegExp(`^${id}[0-9A-F]{8}$`).test(key));
    expect(found).toHaveLength(1);
    return (alarms[found[0]!] as Resource).Properties;
  };
  it('NeedsCorrection: one or more in a minute', () => {
    expect(alarm('NeedsCorrection')).toMatchObject({
      Namespace: 'Outrigger',
      MetricName: 'NeedsCorrection',
      Dimensions: [
        { Name: 'cluster', Value: 'web' },
        { Name: 'service', Value: 'scale-up' },
      ],
      Statistic: 'Maximum',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
      AlarmActions: [TOPIC],
    });
  });

  it('EvaluationsFail: no wake-up has left the queue for five minutes, or nothing is known of it', () => {
    expect(alarm('EvaluationsFail')).toMatchObject({
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      EvaluationPeriods: 5,
      TreatMissingData: 'breaching',
      AlarmActions: [TOPIC],
      Namespace: 'AWS/SQS',
      MetricName: 'NumberOfMessagesDeleted',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [the('AWS::SQS::Queue', 'WakeUps').id, 'QueueName'] } }],
      Statistic: 'Sum',
      Period: 60,
    });
  });

  it('are these two', () => {
    expect(Object.keys(alarms)).toHaveLength(2);
  });
});
