import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { clusterName } from '../../../../core/model/values/names.ts';
import { createDrainQueue } from '../../../../providers/aws/lambda/drain-queue.ts';
import { awsStandIn } from '../aws-stand-in.ts';

const WEB = clusterName('web');
const start = { cluster: WEB, ids: ['n1'], attempt: 2 };

async function queue() {
  const { calls, settings } = await awsStandIn(() => ({ body: {} }));
  const sent = () =>
    calls.map(({ input }) => {
      const { MessageBody, DelaySeconds } = input as { readonly MessageBody: string; readonly DelaySeconds: number };
      return { round: JSON.parse(MessageBody) as unknown, DelaySeconds };
    });
  return {
    sent,
    drains: createDrainQueue(
      'https://sqs.us-east-1.amazonaws.com/1/drains',
      new SQSClient({ ...settings, md5: false, useQueueUrlAsEndpoint: false }),
    ),
  };
}

describe('a driver', () => {
  it('starts at once', async () => {
    const { sent, drains } = await queue();
    await drains.startDrains(WEB, ['n1'], 2);
    expect(sent()).toEqual([{ round: start, DelaySeconds: 0 }]);
  });

  it.each([
    [1, 1],
    [1_500, 2],
    [3_600_000, 900],
  ])('goes on in %i ms by a message that is hidden for %i s', async (ms, seconds) => {
    const { sent, drains } = await queue();
    await drains.continueDrains({ ...start, left: [{ id: 'n1', revision: 3 }] }, ms);
    expect(sent()).toEqual([{ round: { ...start, left: [{ id: 'n1', revision: 3 }] }, DelaySeconds: seconds }]);
  });

  it('goes on without what was answered last where that is larger than a message', async () => {
    const { sent, drains } = await queue();
    await drains.continueDrains({ ...start, left: [{ id: 'n1', results: 'é'.repeat(140_000) }] }, 0);
    expect(sent()).toEqual([{ round: start, DelaySeconds: 0 }]);
  });
});
