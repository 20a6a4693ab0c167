import { ChangeMessageVisibilityCommand, SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { World } from './world.ts';
import { dueMessage, wakeMessage, type WakeMessage } from './wake-up.ts';

/** The wake-up queue on AWS: an SQS FIFO queue, one message group per cluster. */
export function createSqsQueue(
  queueUrl: string,
  now: World['now'],
  client = new SQSClient({
    requestHandler: { requestTimeout: 1_500, connectionTimeout: 500, throwOnRequestTimeout: true },
  }),
): Pick<World, 'wake' | 'wakeAt' | 'redeliverAfter'> {
  const send = async ({ body, group, deduplicationId }: WakeMessage): Promise<void> => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageGroupId: group,
        MessageDeduplicationId: deduplicationId,
      }),
    );
  };
  return {
    wake: (cluster, look) => send(wakeMessage(cluster, now(), look)),
    wakeAt: (cluster, due, look) => send(dueMessage(cluster, now(), due, look)),
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
