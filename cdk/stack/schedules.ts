import { Duration } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Functions } from './functions.ts';

/**
 * What happens every minute, whatever events say: one scheduled rule with three targets. Unlike invocations by EventBridge
 * Scheduler, its own are not charged (docs/cost.md). A run that failed is not repeated: the next one is near.
 */
export function createSchedules(
  scope: Construct,
  cluster: string,
  { scaleDown, actuate }: Pick<Functions, 'scaleDown' | 'actuate'>,
  queue: Queue,
): void {
  const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  new Rule(scope, 'Tick', {
    description: `Evaluates cluster ${cluster}, and takes up what was decided and is not done`,
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [
      new SqsQueue(queue, {
        messageGroupId: cluster,
        // The time makes each tick a message of its own: deduplication goes by content here.
        message: RuleTargetInput.fromObject({ cluster, tick: EventField.time }),
        ...once,
      }),
      // Not by the queue: a wake-up that is stuck there does not keep scale-down from its turn.
      new LambdaFunction(scaleDown, { event: RuleTargetInput.fromObject({ cluster }), ...once }),
      new LambdaFunction(actuate, { event: RuleTargetInput.fromObject({ resume: cluster }), ...once }),
    ],
  });
}
