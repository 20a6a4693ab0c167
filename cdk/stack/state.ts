import { present } from '@outrigger/core/model/values/present.ts';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, type CfnGlobalTable, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { type CfnQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { MOST_DELIVERIES } from '@outrigger/core/wakeups/redelivery.ts';

/** State, intents and decisions. Deleting it deletes the drains that are going on: that takes two steps. */
export function stateTable(scope: Construct, key: IKey | null): TableV2 {
  const table = new TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billing: Billing.onDemand(),
    timeToLiveAttribute: 'ttl',
    dynamoStream: StreamViewType.KEYS_ONLY,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  if (key !== null) {
    // The CDK takes a key only in a stack whose region is known.
    const resource = table.node.defaultChild as CfnGlobalTable;
    resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
    resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn });
  }
  return table;
}

/**
 * Snapshots of cached lists, which are of no use after ten minutes. CloudFormation cannot delete a bucket that is not empty, which would
 * keep the stack: so the bucket stays, and is empty a day or two later.
 */
export const snapshotBucket = (scope: Construct, key: IKey | null): Bucket =>
  new Bucket(scope, 'Snapshots', {
    encryption: key === null ? BucketEncryption.S3_MANAGED : BucketEncryption.KMS,
    // With a key for the bucket, KMS is not called for each object.
    ...present({ encryptionKey: key, bucketKeyEnabled: key && true }),
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
export function wakeUpQueue(scope: Construct, evaluationTimeout: Duration, key: IKey | null): Queue {
  const deadLetters = new Queue(scope, 'DeadLetters', {
    fifo: true,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    // For a look at what failed lately: an old wake-up says nothing that a newer one does not.
    retentionPeriod: Duration.hours(1),
  });
  const queue = new Queue(scope, 'WakeUps', {
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
  encrypt([queue, deadLetters], key);
  return queue;
}

/**
 * The queue of the rounds of drains. A failed message is delivered again; after some failures the
 * schedule finds a drain without a driver.
 *
 * @param roundTimeout the time-out of the function that receives from it
 */
export function drainQueue(scope: Construct, roundTimeout: Duration, key: IKey | null): Queue {
  const settings = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: Duration.hours(1) };
  const deadLetters = new Queue(scope, 'DrainDeadLetters', settings);
  const queue = new Queue(scope, 'Drains', {
    ...settings,
    visibilityTimeout: roundTimeout,
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 3 },
  });
  encrypt([queue, deadLetters], key);
  return queue;
}

/**
 * Given the key, the CDK would let any rule of EventBridge send to the queue, and not those of the stack alone. One data key serves a
 * queue for five minutes: KMS is not called for each message.
 */
function encrypt(queues: readonly Queue[], key: IKey | null): void {
  if (key === null) {
    return;
  }
  for (const { node } of queues) {
    const resource = node.defaultChild as CfnQueue;
    resource.addPropertyDeletionOverride('SqsManagedSseEnabled');
    resource.addPropertyOverride('KmsMasterKeyId', key.keyArn);
    resource.addPropertyOverride('KmsDataKeyReusePeriodSeconds', Duration.minutes(5).toSeconds());
  }
}
