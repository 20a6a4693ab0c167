import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../../core/model/values/time.ts';
import { chanceFor } from '../../../../simulation/chance.ts';
import { createClock } from '../../../../simulation/clock.ts';
import { createFifoQueue } from '../../../../providers/memory/fifo-queue.ts';
import { queueTime } from '../../../../simulation/runtime/queue-time.ts';

const ALL_WELL: SQSBatchResponse = { batchItemFailures: [] };

function queueWith(
  consume: (event: SQSEvent, queue: Queue) => Promise<SQSBatchResponse>,
  limits: { readonly maxConcurrency?: number } = {},
) {
  const clock = createClock(epochMs(0));
  const batches: { readonly group: string; readonly bodies: readonly string[]; readonly at: number }[] = [];
  const givenUp: string[] = [];
  const queue = createFifoQueue({
    time: queueTime(clock, chanceFor(1, 'queue')),
    visibilityTimeoutMs: 30_000,
    maxReceiveCount: 3,
    ...limits,
    onGivenUp: (body) => givenUp.push(body),
    consume: (event) => {
      batches.push({
        group: event.Records[0]!.attributes.MessageGroupId!,
        bodies: event.Records.map(({ body }) => body),
        at: clock.now(),
      });
      return consume(event, queue);
    },
  });
  const send = (body: string, group = 'g', deduplicationId = body): void =>
    queue.send({ body, group, deduplicationId });
  return { clock, queue, batches, givenUp, send, run: () => clock.run({ done: () => false, until: epochMs(1e9) }) };
}
type Queue = ReturnType<typeof createFifoQueue>;

const failAll = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
  batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
});

describe('the FIFO queue', () => {
  test('messages of a group come in order and in batches of ten; groups do not wait for each other', async () => {
    const { send, run, batches } = queueWith(async () => ALL_WELL);
    for (let i = 0; i < 12; i += 1) {
      send(`a${i}`, 'a');
    }
    send('b0', 'b');
    await run();
    const ofA = batches.filter(({ group }) => group === 'a');
    expect(ofA.flatMap(({ bodies }) => bodies)).toEqual(Array.from({ length: 12 }, (_, i) => `a${i}`));
    expect(ofA.map(({ bodies }) => bodies.length)).toEqual([10, 2]);
    expect(batches.filter(({ group }) => group === 'b')).toHaveLength(1);
  });

  test('a group has one batch in flight', async () => {
    let busy = 0;
    let busiest = 0;
    const { clock, send, run, queue } = queueWith(async () => {
      busy += 1;
      busiest = Math.max(busiest, busy);
      await clock.sleep(500);
      busy -= 1;
      return ALL_WELL;
    });
    for (let i = 0; i < 20; i += 1) {
      clock.after(i * 100, () => send(`m${i}`));
    }
    await run();
    expect(busiest).toBe(1);
    expect(queue.size()).toBe(0);
  });

  test('as many batches are in flight as may be, and groups that wait have their turns in order', async () => {
    let busy = 0;
    let busiest = 0;
    const { clock, send, run, queue, batches } = queueWith(
      async () => {
        busy += 1;
        busiest = Math.max(busiest, busy);
        await clock.sleep(60_000);
        busy -= 1;
        return ALL_WELL;
      },
      { maxConcurrency: 2 },
    );
    const groups = Array.from({ length: 5 }, (_, i) => `g${i}`);
    groups.forEach((group, i) => clock.after(i * 3_000, () => send(`first of ${group}`, group)));
    clock.after(20_000, () => send('second of g4', 'g4'));
    await run();
    expect(busiest).toBe(2);
    expect(batches.map(({ group }) => group)).toEqual(groups);
    expect(batches.at(-1)!.bodies).toEqual(['first of g4', 'second of g4']);
    expect(queue.size()).toBe(0);
  });

  test('an id that was sent in the last five minutes is dropped, also when its message is long gone', async () => {
    const { clock, send, run, batches } = queueWith(async () => ALL_WELL);
    send('first', 'g', 'id');
    clock.after(299_000, () => send('second', 'g', 'id'));
    clock.after(300_500, () => send('third', 'g', 'id'));
    await run();
    expect(batches.flatMap(({ bodies }) => bodies)).toEqual(['first', 'third']);
  });

  test('what fails comes back after its visibility timeout, blocks its group, and is given up in the end', async () => {
    const { send, run, batches, givenUp } = queueWith(async (event) =>
      event.Records[0]!.body === 'bad' ? failAll(event) : ALL_WELL,
    );
    send('bad');
    await run();
    expect(batches.map(({ bodies }) => bodies)).toEqual([['bad'], ['bad'], ['bad']]);
    expect(batches[1]!.at - batches[0]!.at).toBeGreaterThanOrEqual(30_000);
    expect(givenUp).toEqual(['bad']);
  });

  test('a function that throws has failed with its whole batch', async () => {
    let calls = 0;
    const { send, run, batches } = queueWith(async () => {
      calls += 1;
      if (calls === 1) {
        throw new Error('out of memory');
      }
      return ALL_WELL;
    });
    send('a');
    send('b');
    await run();
    expect(batches.map(({ bodies }) => bodies)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('redelivery can be brought forward', async () => {
    let failures = 0;
    const { send, run, batches } = queueWith(async (event, queue) => {
      if (failures > 0) {
        return ALL_WELL;
      }
      failures += 1;
      queue.changeVisibility(event.Records[0]!.receiptHandle, 2);
      return failAll(event);
    });
    send('a');
    await run();
    expect(batches).toHaveLength(2);
    expect(batches[1]!.at - batches[0]!.at).toBeLessThan(3_000);
  });
});
