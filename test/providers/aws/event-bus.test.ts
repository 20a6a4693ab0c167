import { SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Message } from '../../../core/model/message.ts';
import { clusterName } from '../../../core/model/values/names.ts';
import { createEventBus } from '../../../providers/aws/event-bus.ts';
import { NOW, times } from '../../scenario-builders.ts';
import { type Answer, awsStandIn, type Call } from './aws-stand-in.ts';

const BUS = 'arn:aws:events:eu-central-1:123456789012:event-bus/ops';

const message = (n: number): Message => ({
  kind: 'ScaleUp',
  id: `web/${n}/ScaleUp/a`,
  cluster: clusterName('web'),
  time: NOW,
  text: 'Scale-up: setting group a size to 1 instead of 0 (max: 10)',
  decision: n,
});

async function busWith(answer: (call: Call) => Answer) {
  const { calls, settings } = await awsStandIn(answer);
  vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', settings.endpoint);
  return { calls, bus: createEventBus(BUS, new SQSClient(settings)) };
}

const accepted: Answer = { body: { FailedEntryCount: 0, Entries: [{ EventId: '1' }] } };

beforeEach(() => () => vi.unstubAllEnvs());

describe('the event bus', () => {
  it('gets a message as an event with the kind as its detail-type', async () => {
    const { calls, bus } = await busWith(() => accepted);
    await bus.send([message(7)]);
    expect(calls).toEqual([
      {
        action: 'AWSEvents.PutEvents',
        input: {
          Entries: [
            {
              Source: 'outrigger',
              DetailType: 'ScaleUp',
              EventBusName: BUS,
              Time: NOW / 1_000,
              Detail: expect.any(String),
            },
          ],
        },
      },
    ]);
    const [entry] = calls[0]!.input['Entries'] as readonly { readonly Detail: string }[];
    expect(JSON.parse(entry!.Detail)).toEqual({
      apiVersion: 'outrigger.dev/v1alpha1',
      kind: 'ScaleUp',
      id: 'web/7/ScaleUp/a',
      cluster: 'web',
      time: '2026-01-01T12:00:00Z',
      text: 'Scale-up: setting group a size to 1 instead of 0 (max: 10)',
      decision: 7,
    });
  });

  it('gets ten events in a request', async () => {
    const { calls, bus } = await busWith(() => accepted);
    await bus.send(times(23, message));
    expect(calls.map(({ input }) => (input['Entries'] as readonly unknown[]).length)).toEqual([10, 10, 3]);
  });

  it('is asked once, and what it refuses is an error with its words', async () => {
    const refused = { EventId: null, ErrorCode: 'InternalFailure', ErrorMessage: 'try later' };
    const partly = await busWith(() => ({ body: { FailedEntryCount: 1, Entries: [{ EventId: '1' }, refused] } }));
    await expect(partly.bus.send(times(2, message))).rejects.toThrow(
      '1 of 2 events were refused: InternalFailure: try later',
    );
    const body = { __type: 'com.amazonaws.events#AccessDeniedException', message: 'not authorized' };
    const denied = await busWith(() => ({ status: 400, body }));
    await expect(denied.bus.send([message(1)])).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: 'not authorized',
    });
    expect([partly.calls.length, denied.calls.length]).toEqual([1, 1]);
  });
});
