import { ChangeMessageVisibilityCommand, SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { World } from './world.ts';
import { wakeMessage } from './wake-up.ts';

/** The wake-up queue on AWS: an SQS FIFO queue, one message group per cluster. */
export function createSqsQueue(
  queueUrl: string,
  now: World['now'],
  client = new SQSClient({
    requestHandler: { requestTimeout: 1_500, connectionTimeout: 500, throwOnRequestTimeout: true },
  }),
): Pick<World, 'wake' | 'redeliverAfter'> {
  return {
    wake: async (cluster, look) => {
      const { body, group, deduplicationId } = wakeMessage(cluster, now(), look);
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: body,
          MessageGroupId: group,
          MessageDeduplicationId: deduplicationId,
        }),
      );
    },
    redeliverAfter: async (receiptHandle, seconds) => {
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: queueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      );
    },
  };
}
