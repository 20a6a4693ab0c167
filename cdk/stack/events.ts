import { Duration } from 'aws-cdk-lib';
import type { ITable, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { FilterCriteria, FilterRule, type Function, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { INTENT_PREFIX } from '../../core/model/table-keys.ts';
import type { Functions } from './functions.ts';

/** What the functions are called by, beside the webhook and the schedules. */
export function connectEvents(scope: Construct, functions: Functions, queue: Queue, table: TableV2): void {
  functions.scaleUp.addEventSource(
    new SqsEventSource(queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 2 }),
  );
  functions.actuate.addEventSource(newIntents(table));
  instanceEvents(scope, functions.wake);
}

const newIntents = (table: TableV2): DynamoEventSource =>
  new DynamoEventSource(table as ITable, {
    startingPosition: StartingPosition.LATEST,
    batchSize: 10,
    // What is older is taken up by the schedule; a stuck record must not hold up the newer ones.
    retryAttempts: 3,
    maxRecordAge: Duration.minutes(2),
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.isEqual('INSERT'),
        dynamodb: { Keys: { sk: { S: FilterRule.beginsWith(INTENT_PREFIX) } } },
      }),
    ],
  });

/** What Auto Scaling and EC2 report by themselves. It reaches all clusters of the account: an evaluation too many is harmless. */
function instanceEvents(scope: Construct, wake: Function): void {
  new Rule(scope, 'InstanceEvents', {
    description: 'Launches that failed, Spot instances that are about to go',
    eventPattern: {
      source: ['aws.autoscaling', 'aws.ec2'],
      detailType: ['EC2 Instance Launch Unsuccessful', 'EC2 Spot Instance Interruption Warning'],
    },
    targets: [new LambdaFunction(wake, { retryAttempts: 2, maxEventAge: Duration.minutes(2) })],
  });
}
