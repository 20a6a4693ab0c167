import { App, Stack, Token, Validations } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, it } from 'vitest';
import { Outrigger, type OutriggerProps } from '../../cdk/outrigger.ts';
import { OutriggerStack } from '../../cdk/cluster-stack.ts';
import { readClusters } from '../../cdk/settings.ts';
import { bundles, stackFor } from './stack-for.ts';

/** A stack of a user's, with a construct of these settings in it. */
function stackWith(settings: Partial<OutriggerProps> = {}): Stack {
  const stack = new Stack(new App(), 'Mine');
  new Outrigger(stack, 'Autoscaler', { clusterName: 'web', bundles, ...settings });
  return stack;
}

const types = (stack: Stack): readonly string[] =>
  Object.values(Template.fromStack(stack).toJSON().Resources as Record<string, { Type: string }>)
    .map(({ Type }) => Type)
    .toSorted();

it('puts into a stack of yours what Outrigger’s own stack has', () => {
  expect(types(stackWith({ mode: 'act' }))).toEqual(types(stackFor()));
});

it('changes nothing unless it is asked to', () => {
  const modes = (stack: Stack): readonly unknown[] =>
    Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function')).flatMap(
      ({ Properties }) => Properties.Environment.Variables.OUTRIGGER_DRY_RUN ?? [],
    );
  expect(new Set(modes(stackWith()))).toEqual(new Set(['true']));
  expect(new Set(modes(stackWith({ mode: 'act' })))).toEqual(new Set(['false']));
});

it('two clusters share a stack', () => {
  const stack = stackWith();
  new Outrigger(stack, 'Other', { clusterName: 'other', bundles });
  Template.fromStack(stack).resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
});

it('has an HTTP API for the webhook in a stack whose region has no function URLs, and refuses a function URL there', () => {
  const stackIn = (settings: Partial<OutriggerProps>): Stack => {
    const stack = new Stack(new App(), 'Mine', { env: { region: 'il-central-1' } });
    new Outrigger(stack, 'Autoscaler', { clusterName: 'web', bundles, ...settings });
    return stack;
  };
  Template.fromStack(stackIn({})).resourceCountIs('AWS::Lambda::Url', 0);
  Template.fromStack(stackIn({})).resourceCountIs('AWS::ApiGatewayV2::Api', 1);
  expect(() => stackIn({ webhook: 'functionUrl' })).toThrow(/no function URLs in il-central-1/);
});

it('refuses a function URL where the region of the environment of the CDK has none', () => {
  const [cluster] = readClusters([{ name: 'web' }]);
  const env = { region: 'il-central-1' };
  expect(() => new OutriggerStack(new App(), 'Outrigger-web', { cluster: cluster!, bundles, env })).toThrow(
    'cluster web: webhook: expected httpApi or none: Lambda has no function URLs in il-central-1, found functionUrl',
  );
});

it('alarms and messages go to topics whose names are not known yet', () => {
  const stack = new Stack(new App(), 'Mine');
  const alarmTopic = new Topic(stack, 'Alarms');
  const messageTopic = new Topic(stack, 'Chat');
  new Outrigger(stack, 'Autoscaler', { clusterName: 'web', bundles, mode: 'act', alarmTopic, messageTopic });
  Template.fromStack(stack).hasResourceProperties('AWS::Events::Rule', {
    EventPattern: Match.objectLike({ source: ['outrigger'] }),
    Targets: [Match.objectLike({ Arn: stack.resolve(messageTopic.topicArn) })],
  });
  Template.fromStack(stack).allResourcesProperties('AWS::CloudWatch::Alarm', {
    AlarmActions: [stack.resolve(alarmTopic.topicArn)],
  });
});

it('says of a name that is known at deployment alone what to do', () => {
  expect(() => stackWith({ clusterName: Token.asString({ Ref: 'Cluster' }) })).toThrow(
    /^Outrigger Mine\/Autoscaler: clusterName: expected a name that is known at synthesis, found a token of the CDK.*Give the cluster a name/,
  );
});

it('lets a stack build upon its table, functions, alarms and webhook, and a role read the status of this cluster alone', () => {
  const stack = new Stack(new App(), 'Mine');
  const outrigger = new Outrigger(stack, 'Autoscaler', { clusterName: 'web', bundles, webhook: 'none' });
  const { table, functions, alarms, webhookUrl } = outrigger;
  expect([webhookUrl, functions.ingest]).toEqual([null, null]);
  expect(alarms.map(({ alarmName }) => stack.resolve(alarmName) as unknown)).toHaveLength(2);
  expect(stack.resolve(functions.scaleUp.functionArn)).toMatchObject({ 'Fn::GetAtt': [expect.any(String), 'Arn'] });
  const reader = new Role(stack, 'Reader', { assumedBy: new AccountRootPrincipal() });
  outrigger.grantStatus(reader);
  Template.fromStack(stack).hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: [
        {
          Action: 'dynamodb:Query',
          Effect: 'Allow',
          Resource: stack.resolve(table.tableArn),
          Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['CLUSTER#web'] } },
        },
      ],
    },
    Roles: [stack.resolve(reader.roleName)],
  });
});

it('names the construct and every setting that is wrong', () => {
  const wrong = { clusterName: 'web/1', options: { 'scale-down-unneeded-tme': '5m' }, reservedConcurrency: 0 };
  let message = '';
  try {
    stackWith(wrong);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message.split('\n').map((line) => line.split(': ').slice(0, 2))).toEqual(
    expect.arrayContaining(
      ['name', 'reservedConcurrency', 'options.scale-down-unneeded-tme'].map((place) => [
        'Outrigger Mine/Autoscaler',
        place,
      ]),
    ),
  );
});

it('warns of an option that has no effect', () => {
  const template = Annotations.fromStack(stackWith({ options: { 'leader-elect': true } }));
  template.hasWarning(
    '/Mine/Autoscaler',
    Match.stringLikeRegexp('^Outrigger Mine/Autoscaler: options.leader-elect has no effect'),
  );
});

it('keeps the good practice that Outrigger’s own stack keeps', () => {
  const app = stackWith().node.root as App;
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  // The error of `synth` names the finding and the resource.
  expect(app.synth().stacks).toHaveLength(1);
});
