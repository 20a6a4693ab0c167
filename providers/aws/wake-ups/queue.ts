import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type DurationMs, type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { WakeUps } from '@outrigger/core/ports/wake-ups.ts';
import {
  dueMessage,
  readyNodeMessage,
  scanMessage,
  scansBetween,
  wakeMessage,
  type WakeMessage,
} from '@outrigger/core/wakeups/message.ts';

const quickClient = (): SQSClient =>
  new SQSClient({
    requestHandler: { requestTimeout: 1_500, connectionTimeout: 500, throwOnRequestTimeout: true },
  });

const entryOf = ({ body, group, deduplicationId }: WakeMessage) => ({
  MessageBody: body,
  MessageGroupId: group,
  MessageDeduplicationId: deduplicationId,
});

/**
 * The wake-up queue on AWS: an SQS FIFO queue, one message group per cluster.
 *
 * @param scanInterval time between two scans, of which the schedule sends one a minute at most
 */
export function createSqsQueue(
  queueUrl: string,
  now: () => EpochMs,
  {
    scanInterval = minutes(1),
    client = quickClient(),
  }: { readonly scanInterval?: DurationMs; readonly client?: SQSClient } = {},
): WakeUps {
  let last = '';
  const send = async (message: WakeMessage): Promise<void> => {
    if (message.deduplicationId === last) {
      // SQS would drop it.
      return;
    }
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, ...entryOf(message) }));
    last = message.deduplicationId;
  };
  return {
    wake: (cluster, attempt) => send(wakeMessage(cluster, now(), attempt)),
    wakeForReadyNode: (cluster) => send(readyNodeMessage(cluster, now())),
    wakeAtOnce: (cluster) => send(scanMessage(cluster, now())),
    wakeAt: (cluster, due, attempt) => send(dueMessage(cluster, now(), due, attempt)),
    async scanUntilNext(cluster) {
      const messages = scansBetween(cluster, now(), scanInterval);
      if (messages.length === 0) {
        return;
      }
      const Entries = messages.map((message, index) => ({ Id: String(index), ...entryOf(message) }));
      const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      if (Failed.length > 0) {
        throw new Error(`${Failed.length} of ${Entries.length} messages were refused: ${Failed[0]?.Message}`);
      }
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
