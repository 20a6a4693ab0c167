import { backoffMs, type RuntimeClock } from './clock.ts';

/** How an event source mapping of Lambda reads a shard of a stream. */
export interface ShardReading {
  /** The largest number of records in one event. */
  readonly batchSize: number;
  /** A batch that has failed is tried again so often at most. */
  readonly retryAttempts: number;
  /** A record that is older is skipped, in milliseconds. */
  readonly maxRecordAgeMs: number;
}

/** From one read of a shard to the next, in milliseconds: four in a second. */
const POLL_MS = 250;
/** The longest wait before a batch that has failed is tried again, in milliseconds. */
const LONGEST_BACKOFF_MS = 60_000;

/**
 * A shard of a stream, read as Lambda reads it: records in their order, one batch after the other. A batch that fails
 * is tried again and holds up the following batches, until it succeeds, has been tried often enough, or is too old.
 *
 * @param consume handles one batch; rejects where it has failed
 * @param onSkipped is told of records that are not tried any more
 */
export function createShard<Record>(
  { now, sleep, start }: Pick<RuntimeClock, 'now' | 'sleep' | 'start'>,
  { batchSize, retryAttempts, maxRecordAgeMs }: ShardReading,
  consume: (records: readonly Record[]) => Promise<void>,
  onSkipped: (records: readonly Record[]) => void = () => {},
): { readonly put: (records: readonly Record[]) => void } {
  const waiting: { readonly record: Record; readonly at: number }[] = [];
  let isRead = false;
  const fresh = (batch: typeof waiting): typeof waiting => batch.filter(({ at }) => now() - at <= maxRecordAgeMs);
  const take = async (batch: typeof waiting): Promise<void> => {
    let left = batch;
    for (let tries = 0; ; tries += 1) {
      const kept = fresh(left);
      if (kept.length < left.length) {
        onSkipped(left.filter((one) => !kept.includes(one)).map(({ record }) => record));
      }
      left = kept;
      if (left.length === 0) {
        return;
      }
      try {
        await consume(left.map(({ record }) => record));
        return;
      } catch {
        if (tries === retryAttempts) {
          onSkipped(left.map(({ record }) => record));
          return;
        }
        await sleep(backoffMs(tries, LONGEST_BACKOFF_MS));
      }
    }
  };
  const read = async (): Promise<void> => {
    while (waiting.length > 0) {
      await sleep(POLL_MS - (now() % POLL_MS));
      await take(waiting.splice(0, batchSize));
    }
    isRead = false;
  };
  return {
    put: (records) => {
      waiting.push(...records.map((record) => ({ record, at: now() })));
      if (!isRead) {
        isRead = true;
        start(read);
      }
    },
  };
}
