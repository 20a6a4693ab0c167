import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type DurationMs, minutes } from '../../core/model/values/time.ts';
import type { ClusterSettings } from '../settings.ts';
import type { Functions } from './functions.ts';

/** Minutes without a successful evaluation that raise an alarm: five, and at least three ticks. */
const silentMinutes = (tick: DurationMs): number => Math.max(5, (3 * tick) / minutes(1));
/** Minutes in a row with errors that raise an alarm. */
const FAILING_MINUTES = 3;

const period = Duration.minutes(1);

/** The alarms of a cluster. An alarm is paid for by the metrics that it is made from: there are six, none of which costs. */
export function createAlarms(
  scope: Construct,
  { name, alarmTopicArn, tickInterval }: ClusterSettings,
  functions: Functions,
  queue: Queue,
): void {
  const silent = silentMinutes(tickInterval);
  const alarm = (id: string, alarmDescription: string, condition: Condition): void => {
    const created = new Alarm(scope, id, {
      threshold: 1,
      alarmDescription: `${alarmDescription} ${whatToDo(id)}`,
      ...condition,
    });
    if (alarmTopicArn !== undefined) {
      created.addAlarmAction(new SnsAction(Topic.fromTopicArn(scope, `${id}Topic`, alarmTopicArn)));
    }
  };
  alarm(
    'EvaluationsFail',
    `Scale-up of cluster ${name} was not evaluated for ${silent} minutes. See the log of the ScaleUp function.`,
    noneFor(silent, evaluatedWakeUps(queue)),
  );
  alarm(
    'ScaleDownFails',
    `Scale-down of cluster ${name} was not evaluated for ${silent} minutes: unneeded nodes stay. See the log of the ScaleDown function.`,
    noneFor(silent, successes(functions.scaleDown)),
  );
  alarm(
    'ActuateFails',
    `Sizes of cluster ${name} are decided, but cannot be set. See the log of the Actuate function.`,
    someFor(FAILING_MINUTES, functions.actuate.metricErrors({ period })),
  );
  alarm(
    'DrainFails',
    `Nodes of cluster ${name} are being removed, and the Drain function fails or runs out of time. See its log.`,
    someFor(FAILING_MINUTES, functions.drain.metricErrors({ period })),
  );
  alarm(
    'NeedsCorrection',
    `A node group of cluster ${name} is set up wrongly or may not be used, or something stored cannot be read: it is left alone. The log of the ScaleUp function names it.`,
    someFor(1, needsCorrection(name)),
  );
}

/** Each alarm has a section of its own. */
const whatToDo = (id: string): string => `What to do: docs/troubleshooting.md#${id.toLowerCase()}`;

type Condition = Pick<AlarmProps, 'metric' | 'evaluationPeriods' | 'comparisonOperator' | 'treatMissingData'>;

/** In each of that many minutes in a row there were one or more. No value is none. */
const someFor = (minutes: number, metric: Condition['metric']): Condition => ({
  metric,
  evaluationPeriods: minutes,
  comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  treatMissingData: TreatMissingData.NOT_BREACHING,
});

/** In none of that many minutes in a row there was one. No value is none. */
const noneFor = (minutes: number, metric: Condition['metric']): Condition => ({
  metric,
  evaluationPeriods: minutes,
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  treatMissingData: TreatMissingData.BREACHING,
});

/**
 * A message leaves the queue when its evaluation has succeeded, and there is a new one each tick: none leaves when the
 * schedule, the queue's delivery or the function fails, whichever it is. The dead letters would show some of that,
 * and for as long as they are kept. SQS counts by itself, which costs nothing.
 */
const evaluatedWakeUps = (queue: Queue): Metric =>
  queue.metricNumberOfMessagesDeleted({ period, statistic: Stats.SUM });

/** Invocations that did not fail, of a function that is called each tick. */
const successes = (of: Function): MathExpression =>
  new MathExpression({
    expression: 'FILL(invocations, 0) - FILL(errors, 0)',
    usingMetrics: { invocations: of.metricInvocations({ period }), errors: of.metricErrors({ period }) },
    label: 'successes',
    period,
  });

/** The one metric of its own that there is an alarm about: published while something needs correction. */
const needsCorrection = (cluster: string): Metric =>
  new Metric({
    namespace: 'Outrigger',
    metricName: 'NeedsCorrection',
    dimensionsMap: { service: 'scale-up', cluster },
    statistic: Stats.MAXIMUM,
    period,
  });
