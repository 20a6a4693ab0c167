import { ChangeMessageVisibilityCommand, SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { EpochMs } from '../../../core/model/values/time.ts';
import type { WakeUps } from '../../../core/ports/wake-ups.ts';
import {
  dueMessage,
  readyNodeMessage,
  tickMessage,
  wakeMessage,
  type WakeMessage,
} from '../../../core/wakeups/message.ts';

/** The wake-up queue on AWS: an SQS FIFO queue, one message group per cluster. */
export function createSqsQueue(
  queueUrl: string,
  now: () => EpochMs,
  client = new SQSClient({
    requestHandler: { requestTimeout: 1_500, connectionTimeout: 500, throwOnRequestTimeout: true },
  }),
): WakeUps {
  let last = '';
  const send = async ({ body, group, deduplicationId }: WakeMessage): Promise<void> => {
    if (deduplicationId === last) {
      // SQS would drop it.
      return;
    }
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageGroupId: group,
        MessageDeduplicationId: deduplicationId,
      }),
    );
    last = deduplicationId;
  };
  return {
    wake: (cluster, attempt) => send(wakeMessage(cluster, now(), attempt)),
    wakeForReadyNode: (cluster) => send(readyNodeMessage(cluster, now())),
    wakeAtOnce: (cluster) => send(tickMessage(cluster, now())),
    wakeAt: (cluster, due, attempt) => send(dueMessage(cluster, now(), due, attempt)),
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
