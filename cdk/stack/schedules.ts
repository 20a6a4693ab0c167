import { Duration } from 'aws-cdk-lib';
import { ContextAttribute, Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke, SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Functions } from './functions.ts';

/** What happens every minute, whatever events say. A run that failed is not repeated: the next one is near. */
export function createSchedules(
  scope: Construct,
  cluster: string,
  { scaleDown, actuate }: Pick<Functions, 'scaleDown' | 'actuate'>,
  queue: Queue,
): void {
  const everyMinute = ScheduleExpression.rate(Duration.minutes(1));
  const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  new Schedule(scope, 'Tick', {
    description: `Evaluates scale-up of cluster ${cluster}, whatever the webhook says`,
    schedule: everyMinute,
    target: new SqsSendMessage(queue, {
      messageGroupId: cluster,
      // The time makes each tick a message of its own: deduplication goes by content here.
      input: ScheduleTargetInput.fromObject({ cluster, tick: ContextAttribute.scheduledTime }),
      ...once,
    }),
  });
  new Schedule(scope, 'ScaleDownTick', {
    description: `Evaluates scale-down of cluster ${cluster}`,
    schedule: everyMinute,
    // Not by the queue: a wake-up that is stuck there does not keep scale-down from its turn.
    target: new LambdaInvoke(scaleDown, { input: ScheduleTargetInput.fromObject({ cluster }), ...once }),
  });
  new Schedule(scope, 'Resume', {
    description: `Takes up what was decided for cluster ${cluster} and is not done`,
    schedule: everyMinute,
    target: new LambdaInvoke(actuate, { input: ScheduleTargetInput.fromObject({ resume: cluster }), ...once }),
  });
}
