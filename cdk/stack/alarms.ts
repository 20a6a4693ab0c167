import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { durationMs, minutes } from '@outrigger/core/model/values/time.ts';
import { withLostScans } from '@outrigger/core/wakeups/lost-scans.ts';
import type { ClusterSettings } from '../settings.ts';

/** Minutes without a successful evaluation of scale-up that raise an alarm: five, and at least three scans. */
const silentMinutes = (scanInterval: number): number =>
  withLostScans(minutes(5), durationMs(scanInterval)) / minutes(1);

const period = Duration.minutes(1);

/**
 * The alarms of a cluster. An alarm is paid for by the metrics that it is made from: there are two, neither of which
 * costs. The queue tells whether scale-up is evaluated, and scale-up tells of everything else, whether another function
 * does its part included (`core/wakeups/overdue-work.ts`, `core/wakeups/health-problems.ts`).
 */
export function createAlarms(
  scope: Construct,
  { name, alarmTopicArn, scanInterval }: ClusterSettings,
  queue: Queue,
): readonly Alarm[] {
  const silent = silentMinutes(scanInterval);
  const alarm = (id: string, alarmDescription: string, condition: Condition): Alarm => {
    const created = new Alarm(scope, id, {
      threshold: 1,
      alarmDescription: `${alarmDescription} ${whatToDo(id)}`,
      ...condition,
    });
    if (alarmTopicArn !== undefined) {
      created.addAlarmAction(new SnsAction(Topic.fromTopicArn(scope, `${id}Topic`, alarmTopicArn)));
    }
    return created;
  };
  return [
    alarm(
      'EvaluationsFail',
      `Scale-up of cluster ${name} was not evaluated for ${silent} minutes. See the log of the ScaleUp function.`,
      {
        metric: evaluatedWakeUps(queue),
        evaluationPeriods: silent,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        // No value is none.
        treatMissingData: TreatMissingData.BREACHING,
      },
    ),
    alarm(
      'NeedsCorrection',
      `Cluster ${name}: a node group is set up wrongly or may not be used, too many nodes are not ready, pods are pending that a node group could hold, the webhook is silent or flooded, a node is still tainted, a ready node still awaits its pods, a pause without an end has lasted for a day, a wake-up was dropped, a stored item cannot be read, a cached list was wrong, scale-down is not evaluated, a decision is not carried out, or a drain does not go on. The log of the ScaleUp function says which, and of a flood the log of the webhook's function.`,
      {
        metric: needsCorrection(name),
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      },
    ),
  ];
}

/** Each alarm has a section of its own. */
const whatToDo = (id: string): string => `What to do: docs/troubleshooting.md#${id.toLowerCase()}`;

type Condition = Pick<AlarmProps, 'metric' | 'evaluationPeriods' | 'comparisonOperator' | 'treatMissingData'>;

/**
 * A message leaves the queue when its evaluation has succeeded, and there is a new one each scan: none leaves when the
 * schedule, the queue's delivery or the function fails, whichever it is. Dead letters are
 * counted by the function when it gives a wake-up up. SQS counts by itself, which costs nothing.
 */
const evaluatedWakeUps = (queue: Queue): Metric =>
  queue.metricNumberOfMessagesDeleted({ period, statistic: Stats.SUM });

/** Outrigger's only metric with an alarm: */
const needsCorrection = (cluster: string): Metric =>
  new Metric({
    namespace: 'Outrigger',
    metricName: 'NeedsCorrection',
    dimensionsMap: { service: 'scale-up', cluster },
    statistic: Stats.MAXIMUM,
    period,
  });
