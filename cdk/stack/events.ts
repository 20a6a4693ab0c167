import { itemsIf } from '@outrigger/core/model/values/optional.ts';
import { Duration } from 'aws-cdk-lib';
import type { ITable, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, type RuleProps } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { FilterCriteria, FilterRule, type Function, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, type DynamoEventSourceProps, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { ARRIVED_PREFIX, INTENT_PREFIX } from '@outrigger/core/model/table-keys.ts';
import { hasAutoScalingGroups, takesNotices } from './cluster-rights.ts';
import type { Functions } from './functions.ts';
import type { StackResources } from './permissions.ts';

/** Connects the functions to the events that invoke them, beside the webhook and the schedules. */
export function connectEvents(scope: Construct, functions: Functions, { cluster, queue, table }: StackResources): void {
  functions.scaleUp.addEventSource(
    new SqsEventSource(queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 2 }),
  );
  // The schedule takes up older records; a stuck record must not hold up the newer ones.
  functions.actuate.addEventSource(
    newItems(table, INTENT_PREFIX, 10, { retryAttempts: 3, maxRecordAge: Duration.minutes(2) }),
  );
  // The events of Auto Scaling and EC2 reach the stacks of all clusters of the account: the function finds the cluster of
  // the instances. In a stack that takes no notices, an extra evaluation is harmless.
  rule(scope, 'InstanceEvents', functions.wake, {
    description: 'Launches that failed, Spot and other instances that are about to go',
    eventPattern: {
      source: ['aws.autoscaling', 'aws.ec2'],
      detailType: [
        'EC2 Instance Launch Unsuccessful',
        'EC2 Spot Instance Interruption Warning',
        ...itemsIf(takesNotices(cluster), [
          'EC2 Instance Rebalance Recommendation',
          'EC2 Instance-terminate Lifecycle Action',
          'EC2 Capacity Reservation Instance Interruption Warning',
          'EC2 Interruptible Capacity Reservation Instance Interruption Warning',
        ]),
      ],
    },
  });
  if (hasAutoScalingGroups(cluster)) {
    rule(scope, 'ZonalShifts', functions.wake, {
      description: 'Zones that traffic is shifted away from, and returns to',
      eventPattern: {
        source: ['aws.arc-zonal-shift'],
      },
    });
  }
  if (takesNotices(cluster)) {
    // As many events as have arrived meanwhile are assigned by each invocation: none holds up another, and nothing else looks for them.
    const patient = { retryAttempts: 10_000, maxRecordAge: Duration.minutes(15) };
    functions.wake.addEventSource(newItems(table, ARRIVED_PREFIX, 100, patient));
    rule(scope, 'InstanceStates', functions.wake, {
      description: 'Instances that are being stopped or terminated',
      eventPattern: {
        source: ['aws.ec2'],
        detailType: ['EC2 Instance State-change Notification'],
        detail: { state: ['stopping', 'stopped', 'shutting-down'] },
      },
    });
    rule(scope, 'ScheduledChanges', functions.wake, {
      description: 'Instances that AWS is going to retire, to reboot or to maintain',
      eventPattern: {
        source: ['aws.health'],
        detailType: ['AWS Health Event'],
        detail: { service: ['EC2'], eventTypeCategory: ['scheduledChange'] },
      },
    });
  }
}

/** The stream's records of new items whose sort keys have this prefix, batch after batch. */
const newItems = (
  table: TableV2,
  prefix: string,
  batchSize: number,
  retries: Required<Pick<DynamoEventSourceProps, 'retryAttempts' | 'maxRecordAge'>>,
): DynamoEventSource =>
  new DynamoEventSource(table as ITable, {
    startingPosition: StartingPosition.LATEST,
    batchSize,
    ...retries,
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.isEqual('INSERT'),
        dynamodb: { Keys: { sk: { S: FilterRule.beginsWith(prefix) } } },
      }),
    ],
  });

function rule(
  scope: Construct,
  id: string,
  wake: Function,
  about: Pick<RuleProps, 'description' | 'eventPattern'>,
): void {
  new Rule(scope, id, {
    ...about,
    targets: [new LambdaFunction(wake, { retryAttempts: 2, maxEventAge: Duration.minutes(2) })],
  });
}
