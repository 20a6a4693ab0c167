import { describe, expect, it } from 'vitest';
import { epochMs } from '../../core/model/values/time.ts';
import { createClock } from '../../simulation/clock.ts';
import { createShard, type ShardReading } from '../../runtime/shard.ts';

/** A shard whose batches are noted with the second of their attempt, and fail where `fails` says so. */
function shardWith(fails: (records: readonly string[], seconds: number) => boolean, given: Partial<ShardReading> = {}) {
  const clock = createClock(epochMs(Date.UTC(2026, 0, 1)));
  const begin = clock.now();
  const seconds = (): number => Math.floor((clock.now() - begin) / 1_000);
  const attempts: [number, string][] = [];
  const skipped: string[] = [];
  const shard = createShard<string>(
    clock,
    { batchSize: 2, retryAttempts: 3, maxRecordAgeMs: 120_000, ...given },
    async (records) => {
      attempts.push([seconds(), records.join(' ')]);
      if (fails(records, seconds())) {
        throw new Error('no');
      }
      await clock.sleep(100);
    },
    (records) => skipped.push(...records),
  );
  const run = (until: number): Promise<void> => clock.run({ done: () => false, until: epochMs(begin + until * 1_000) });
  return { shard, clock, attempts, skipped, run };
}

describe('a shard of a stream', () => {
  it('is read in order, in batches of a size, one after the other', async () => {
    const { shard, attempts, run } = shardWith(() => false);
    shard.put(['a', 'b', 'c']);
    await run(5);
    shard.put(['d']);
    await run(10);
    expect(attempts.map(([, batch]) => batch)).toEqual(['a b', 'c', 'd']);
  });

  it('holds up later records while a batch fails, and skips the batch after its attempts', async () => {
    const { shard, attempts, skipped, run } = shardWith(([first]) => first === 'a');
    shard.put(['a', 'b', 'c']);
    await run(60);
    expect(attempts).toEqual([
      [0, 'a b'],
      [1, 'a b'],
      [3, 'a b'],
      [7, 'a b'],
      [7, 'c'],
    ]);
    expect(skipped).toEqual(['a', 'b']);
  });

  it('skips records that are too old, those of a batch that fails and those behind it', async () => {
    const { shard, clock, attempts, skipped, run } = shardWith((_, at) => at < 90, {
      retryAttempts: 10_000,
      maxRecordAgeMs: 60_000,
    });
    shard.put(['a', 'b', 'c']);
    clock.after(50_000, () => shard.put(['d']));
    await run(300);
    expect(skipped).toEqual(['a', 'b', 'c']);
    expect(attempts.find(([, batch]) => batch !== 'a b')).toEqual([63, 'd']);
    expect(attempts.at(-1)).toEqual([94, 'd']);
  });
});
