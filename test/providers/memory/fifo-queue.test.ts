import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFifoQueue } from '../../../providers/memory/fifo-queue.ts';
import { createRealClock, realQueueTime } from '../../../runtime/clock.ts';

/** A queue whose batches wait for the test to answer them. */
function manualQueue() {
  const batches: { readonly bodies: readonly string[]; readonly answer: (failed?: readonly string[]) => void }[] = [];
  const handles = new Map<string, string>();
  const givenUp: string[] = [];
  const queue = createFifoQueue({
    time: realQueueTime(createRealClock()),
    consume: ({ Records }: SQSEvent) =>
      new Promise<SQSBatchResponse>((resolve) => {
        Records.forEach(({ body, receiptHandle }) => handles.set(body, receiptHandle));
        batches.push({
          bodies: Records.map(({ body }) => body),
          answer: (failed = []) =>
            resolve({
              batchItemFailures: Records.filter(({ body }) => failed.includes(body)).map(({ messageId }) => ({
                itemIdentifier: messageId,
              })),
            }),
        });
      }),
    visibilityTimeoutMs: 60_000,
    retentionMs: 600_000,
    maxReceiveCount: 3,
    onGivenUp: (body) => givenUp.push(body),
  });
  const send = (body: string, group = 'a', deduplicationId = body): void =>
    queue.send({ body, group, deduplicationId });
  const answer = async (batch: number, failed?: readonly string[]): Promise<void> => {
    batches[batch]!.answer(failed);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { queue, send, answer, batches, handles, givenUp, seen: () => batches.map(({ bodies }) => bodies) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the queue', () => {
  it('delivers at once', () => {
    const { send, seen } = manualQueue();
    send('1');
    expect(seen()).toEqual([['1']]);
  });

  it('has one batch of a group in flight, and gathers up to ten messages meanwhile', async () => {
    const { send, answer, seen } = manualQueue();
    for (let i = 0; i <= 11; i += 1) {
      send(String(i));
    }
    expect(seen()).toEqual([['0']]);
    await answer(0);
    expect(seen()[1]).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
    await answer(1);
    expect(seen()[2]).toEqual(['11']);
  });

  it('drops what has waited for longer than it is kept', async () => {
    const { send, answer, seen, givenUp } = manualQueue();
    send('1');
    send('2');
    await vi.advanceTimersByTimeAsync(300_000);
    send('3');
    await vi.advanceTimersByTimeAsync(300_001);
    await answer(0);
    expect(seen()).toEqual([['1'], ['3']]);
    expect(givenUp).toEqual(['2']);
  });

  it('does not let groups wait for each other', () => {
    const { send, seen } = manualQueue();
    send('1', 'a');
    send('2', 'b');
    expect(seen()).toEqual([['1'], ['2']]);
  });

  it('drops duplicates for five minutes, delivered ones too', async () => {
    const { send, answer, seen } = manualQueue();
    send('1', 'a', 'same');
    await answer(0);
    await vi.advanceTimersByTimeAsync(299_999);
    send('2', 'a', 'same');
    expect(seen()).toEqual([['1']]);
    await vi.advanceTimersByTimeAsync(1);
    send('3', 'a', 'same');
    expect(seen()).toEqual([['1'], ['3']]);
  });

  it('delivers failed messages again after the visibility timeout, in order, and holds back the newer ones', async () => {
    const { send, answer, seen } = manualQueue();
    send('1');
    await answer(0, ['1']);
    send('2');
    await vi.advanceTimersByTimeAsync(59_999);
    expect(seen()).toEqual([['1']]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen()[1]).toEqual(['1', '2']);
  });

  it('delivers them earlier when it was told so', async () => {
    const { queue, send, answer, handles, seen } = manualQueue();
    send('1');
    queue.changeVisibility(handles.get('1')!, 2);
    await answer(0, ['1']);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(seen()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen()).toEqual([['1'], ['1']]);
  });

  it('gives a message up that has failed too often', async () => {
    const { send, answer, givenUp, seen } = manualQueue();
    send('1');
    for (let received = 0; received < 3; received += 1) {
      await answer(received, ['1']);
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(givenUp).toEqual(['1']);
    expect(seen()).toHaveLength(3);
    send('2');
    expect(seen()[3]).toEqual(['2']);
  });

  it('takes a consumer that throws for one that failed with the whole batch', async () => {
    let calls = 0;
    const queue = createFifoQueue({
      time: realQueueTime(createRealClock()),
      consume: () => {
        calls += 1;
        return calls === 1 ? Promise.reject(new Error('broken')) : Promise.resolve({ batchItemFailures: [] });
      },
      visibilityTimeoutMs: 1_000,
      maxReceiveCount: 3,
      onGivenUp: () => {},
    });
    queue.send({ body: '1', group: 'a', deduplicationId: '1' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls).toBe(2);
  });

  it('closes when what is in flight is finished, and delivers nothing more', async () => {
    const { queue, send, answer, seen } = manualQueue();
    send('1');
    send('2');
    let closed = false;
    const closing = queue.close().then(() => {
      closed = true;
      return closed;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(closed).toBe(false);
    await answer(0);
    expect(await closing).toBe(true);
    send('3');
    expect(seen()).toEqual([['1']]);
  });
});
