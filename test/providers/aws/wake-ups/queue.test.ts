import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { type DurationMs, epochMs, minutes, seconds } from '../../../../core/model/values/time.ts';
import { createSqsQueue } from '../../../../providers/aws/wake-ups/queue.ts';
import { NOW } from '../../../scenario-builders.ts';
import { WEB } from '../../../functions/test-world.ts';
import { awsStandIn } from '../aws-stand-in.ts';

const URL = 'https://sqs.eu-central-1.amazonaws.com/123456789012/wake-ups.fifo';

it('sends one message per cluster and window, and brings failed ones forward', async () => {
  const { calls, settings } = await awsStandIn(() => ({ body: {} }));
  const client = new SQSClient({ ...settings, md5: false, useQueueUrlAsEndpoint: false });
  const queue = createSqsQueue(URL, () => epochMs(NOW + 10), { client });
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
  const queue = createSqsQueue(URL, () => epochMs(now), { client });
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

describe('scans that are less than a minute apart', () => {
  const open = async (scanInterval: DurationMs, failed: readonly object[] = []) => {
    const { calls, settings } = await awsStandIn(() => ({ body: { Successful: [], Failed: failed } }));
    const client = new SQSClient({ ...settings, md5: false, useQueueUrlAsEndpoint: false });
    let now = NOW + 37_250;
    const at = (time: number) => {
      now = time;
    };
    return { calls, at, queue: createSqsQueue(URL, () => epochMs(now), { scanInterval, client }) };
  };

  it('are sent together until the next scan of the schedule, at multiples of the interval', async () => {
    const { calls, at, queue } = await open(seconds(15));
    await queue.scanUntilNext(WEB);
    // A scan that is delivered twice, and the next one.
    at(NOW + 38_000);
    await queue.scanUntilNext(WEB);
    at(NOW + 97_250);
    await queue.scanUntilNext(WEB);
    const sent = calls.map(({ action, input }) => {
      expect(action).toBe('AmazonSQS.SendMessageBatch');
      const { Entries } = input as { readonly Entries: readonly Readonly<Record<string, string>>[] };
      expect(new Set(Entries.map(({ Id }) => Id)).size).toBe(Entries.length);
      return Entries.map(({ MessageBody, MessageGroupId, MessageDeduplicationId }) => {
        expect(MessageGroupId).toBe(MessageDeduplicationId);
        return [MessageDeduplicationId, (JSON.parse(MessageBody!) as { readonly due: string }).due];
      });
    });
    const scans = [45, 60, 75, 90, 105, 120, 135, 150].map((after) => [
      `web:scan:${NOW + after * 1_000}`,
      new Date(NOW + after * 1_000).toISOString(),
    ]);
    expect(sent).toEqual([scans.slice(0, 4), scans.slice(0, 4), scans.slice(4)]);
  });

  it('are none where scans are a minute apart', async () => {
    const { calls, queue } = await open(minutes(1));
    await queue.scanUntilNext(WEB);
    expect(calls).toEqual([]);
  });

  it('that SQS refuses reject, with its reason', async () => {
    const refused = { Id: '1', Code: 'InternalError', Message: 'not now', SenderFault: false };
    const { queue } = await open(seconds(30), [refused]);
    await expect(queue.scanUntilNext(WEB)).rejects.toThrow('1 of 2 messages were refused: not now');
  });
});
