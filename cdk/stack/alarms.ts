import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ClusterSettings } from '../settings.ts';
import type { Functions } from './functions.ts';

const period = Duration.minutes(1);

export function createAlarms(
  scope: Construct,
  { name, alarmTopicArn }: ClusterSettings,
  functions: Functions,
  queue: Queue,
): void {
  const alarm = (id: string, metric: IMetric, evaluationPeriods: number, alarmDescription: string): void => {
    const created = new Alarm(scope, id, {
      metric,
      threshold: 1,
      evaluationPeriods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription,
    });
    if (alarmTopicArn !== undefined) {
      created.addAlarmAction(new SnsAction(Topic.fromTopicArn(scope, `${id}Topic`, alarmTopicArn)));
    }
  };
  alarm(
    'EvaluationsFail',
    queue.deadLetterQueue!.queue.metricApproximateNumberOfMessagesVisible({ period }),
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
