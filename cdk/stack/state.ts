import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { MOST_DELIVERIES } from '../../core/wakeups/redelivery.ts';

/** State, intents and decisions. Deleting it deletes the drains that are going on: that takes two steps. */
export const stateTable = (scope: Construct): TableV2 =>
  new TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billing: Billing.onDemand(),
    timeToLiveAttribute: 'ttl',
    dynamoStream: StreamViewType.KEYS_ONLY,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });

/**
 * Snapshots of kept lists, which are of no use after ten minutes. CloudFormation cannot delete a bucket that is not empty, which would
 * keep the stack: so the bucket stays, and is empty a day or two later.
 */
export const snapshotBucket = (scope: Construct): Bucket =>
  new Bucket(scope, 'Snapshots', {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    versioned: false,
    lifecycleRules: [{ expiration: Duration.days(1), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    removalPolicy: RemovalPolicy.RETAIN,
  });

/**
 * The queue of wake-ups.
 *
 * @param evaluationTimeout the time-out of the function that receives from it
 */
export function wakeUpQueue(scope: Construct, evaluationTimeout: Duration): Queue {
  const deadLetters = new Queue(scope, 'DeadLetters', {
    fifo: true,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    // For a look at what failed lately: an old wake-up says nothing that a newer one does not.
    retentionPeriod: Duration.hours(1),
  });
  return new Queue(scope, 'WakeUps', {
    fifo: true,
    // For the schedule, which cannot give a deduplication id; the functions do.
    contentBasedDeduplication: true,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    // As long as an evaluation may take, and no longer: until then the cluster's other messages wait behind a lost one.
    visibilityTimeout: evaluationTimeout,
    // An old wake-up says nothing that a newer one does not.
    retentionPeriod: Duration.minutes(10),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: MOST_DELIVERIES },
  });
}

/**
 * The queue of drains that are driven by messages. One that fails is delivered again; after some failures the schedule finds
 * a drain without a driver.
 *
 * @param roundTimeout the time-out of the function that receives from it
 */
export function drainQueue(scope: Construct, roundTimeout: Duration): Queue {
  const settings = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: Duration.hours(1) };
  return new Queue(scope, 'Drains', {
    ...settings,
    visibilityTimeout: roundTimeout,
    deadLetterQueue: { queue: new Queue(scope, 'DrainDeadLetters', settings), maxReceiveCount: 3 },
  });
}
