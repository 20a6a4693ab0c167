import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { epochMs } from '../../../../core/model/values/time.ts';
import { createSqsQueue } from '../../../../providers/aws/wake-ups/queue.ts';
import { NOW } from '../../../scenario-builders.ts';
import { WEB } from '../../../functions/test-world.ts';
import { awsStandIn } from '../aws-stand-in.ts';

const URL = 'https://sqs.eu-central-1.amazonaws.com/123456789012/wake-ups.fifo';

it('sends one message per cluster and window, and brings failed ones forward', async () => {
  const { calls, settings } = await awsStandIn(() => ({ body: {} }));
  const client = new SQSClient({ ...settings, md5: false, useQueueUrlAsEndpoint: false });
  const queue = createSqsQueue(URL, () => epochMs(NOW + 10), client);
  await queue.wake(WEB);
  await queue.wakeAt(WEB, epochMs(NOW + 1_500));
  await queue.redeliverAfter('handle', 4);
  expect(calls).toEqual([
    {
      action: 'AmazonSQS.SendMessage',
      input: {
        QueueUrl: URL,
        MessageBody: '{"cluster":"web","at":"2026-01-01T12:00:00.010Z"}',
        MessageGroupId: 'web',
        MessageDeduplicationId: `web:${NOW / 250}`,
      },
    },
    {
      action: 'AmazonSQS.SendMessage',
      input: {
        QueueUrl: URL,
        MessageBody: '{"cluster":"web","at":"2026-01-01T12:00:00.010Z","due":"2026-01-01T12:00:02.000Z"}',
        MessageGroupId: `web:due:${NOW / 1_000 + 2}`,
        MessageDeduplicationId: `web:due:${NOW / 1_000 + 2}`,
      },
    },
    {
      action: 'AmazonSQS.ChangeMessageVisibility',
      input: { QueueUrl: URL, ReceiptHandle: 'handle', VisibilityTimeout: 4 },
    },
  ]);
});

it('sends a message no second time that SQS would drop, and one again that did not arrive', async () => {
  let now = NOW + 10;
  let away = false;
  const { calls, settings } = await awsStandIn(() =>
    away ? { status: 400, body: { __type: 'AccessDenied' } } : { body: {} },
  );
  const client = new SQSClient({ ...settings, md5: false, useQueueUrlAsEndpoint: false });
  const queue = createSqsQueue(URL, () => epochMs(now), client);
  const sent = async (send: () => Promise<void>): Promise<number> => {
    const before = calls.length;
    await send().catch(() => {});
    return calls.length - before;
  };
  expect(await sent(() => queue.wake(WEB))).toBe(1);
  now += 200;
  expect(await sent(() => queue.wake(WEB))).toBe(0);
  expect(await sent(() => queue.wake(WEB, 1))).toBe(1);
  now += 100;
  away = true;
  expect(await sent(() => queue.wake(WEB))).toBe(1);
  away = false;
  expect(await sent(() => queue.wake(WEB))).toBe(1);
});
