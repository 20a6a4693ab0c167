import { App, Stack, Validations } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, it } from 'vitest';
import { Outrigger, type OutriggerProps } from '../../cdk/outrigger.ts';
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

it('alarms go to a topic whose name is not known yet', () => {
  const stack = new Stack(new App(), 'Mine');
  const alarmTopic = new Topic(stack, 'Alarms');
  new Outrigger(stack, 'Autoscaler', { clusterName: 'web', bundles, alarmTopic });
  Template.fromStack(stack).allResourcesProperties('AWS::CloudWatch::Alarm', {
    AlarmActions: [stack.resolve(alarmTopic.topicArn)],
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
  // Says in its error what is not kept, and where.
  expect(app.synth().stacks).toHaveLength(1);
});
