import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DrainRound, Executions } from '@outrigger/core/ports/executions.ts';

/** SQS' limits: of a delay, in seconds, and of a message, in bytes. */
const LONGEST_DELAY = 900;
const LARGEST_MESSAGE = 262_144;

/** Drivers of drains on AWS: messages of an SQS queue, each of which is one round. The next one is hidden until it is due. */
export function createDrainQueue(
  queueUrl: string,
  client = new SQSClient({
    requestHandler: { requestTimeout: 5_000, connectionTimeout: 1_000, throwOnRequestTimeout: true },
  }),
): Pick<Executions, 'startDrains' | 'continueDrains'> {
  const send = async (round: DrainRound, waitMs: number): Promise<void> => {
    const body = JSON.stringify(round);
    const { left: _, ...start } = round;
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        // Without what was answered last it is read again from the cluster.
        MessageBody: Buffer.byteLength(body) <= LARGEST_MESSAGE ? body : JSON.stringify(start),
        DelaySeconds: Math.min(LONGEST_DELAY, Math.ceil(waitMs / 1_000)),
      }),
    );
  };
  return {
    startDrains: async (cluster, ids, attempt) => await send({ cluster, ids, attempt }, 0),
    continueDrains: send,
  };
}
