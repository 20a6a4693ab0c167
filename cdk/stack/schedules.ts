import { Duration } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { minutes } from '@outrigger/core/model/values/time.ts';
import type { ClusterSettings } from '../settings.ts';
import type { Functions } from './functions.ts';

/** Interval at which unfinished decisions are taken up, however rare evaluations are. No rule is more frequent. */
const RESUMED = minutes(1);

const every = (interval: number): Schedule => Schedule.rate(Duration.millis(interval));

/**
 * The work that is done by the clock, whatever events say: a rule of evaluations, and a rule that takes up what was decided and is not
 * done, which stays on while evaluations are off: drains come to their ends. Scans that are less than a minute apart are sent by scale-up at each scan of the rule. Unlike
 * invocations by EventBridge Scheduler, a rule's are not charged (docs/cost.md). Failed deliveries and runs are not
 * repeated: the next run is near.
 *
 * @returns the rule of evaluations
 */
export function createSchedules(
  scope: Construct,
  { name: cluster, scanInterval }: ClusterSettings,
  { scaleDown, actuate }: Pick<Functions, 'scaleDown' | 'actuate'>,
  queue: Queue,
): Rule {
  const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  const evaluations = [
    new SqsQueue(queue, {
      messageGroupId: cluster,
      // The time makes each scan a message of its own: deduplication goes by content here.
      message: RuleTargetInput.fromObject({ cluster, scan: EventField.time }),
      ...once,
    }),
    // Not by the queue: a wake-up that is stuck there does not keep scale-down from its turn.
    new LambdaFunction(scaleDown, { event: RuleTargetInput.fromObject({ cluster }), ...once }),
  ];
  new Rule(scope, 'Resume', {
    description: `Takes up what was decided for cluster ${cluster} and is not done`,
    schedule: every(RESUMED),
    targets: [new LambdaFunction(actuate, { event: RuleTargetInput.fromObject({ resume: cluster }), ...once })],
  });
  return new Rule(scope, 'Scan', {
    description: `Evaluates cluster ${cluster}`,
    schedule: every(Math.max(scanInterval, RESUMED)),
    targets: evaluations,
  });
}
