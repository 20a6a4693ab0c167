import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Deliver, DeliveryOptions, Retries } from './deliveries.ts';
import type { Triggers } from './functions.ts';
import type { Invoke } from './invocations.ts';
import { createShard, type ShardReading } from './shard.ts';

/** The name of the stream's records of what has arrived, for logs of the network. */
export const ARRIVED = 'an arrived event';

export interface StreamOptions extends DeliveryOptions {
  readonly retries: Retries;
  /** The largest number of outbox records in one event. */
  readonly outboxBatch: number;
  /**
   * The records of the table's stream are read in their order, one batch after the other, as on AWS. Absent: each record is
   * a message of its own.
   */
  readonly shards?: { readonly outbox: ShardReading; readonly inbox: ShardReading };
}

/** Announces new items of the table, as its stream does. */
export interface Streams {
  readonly intents: (event: DynamoDBStreamEvent) => void;
  readonly arrivals: (event: DynamoDBStreamEvent) => void;
}

export function createStreams(
  { clock, retries, outboxBatch, shards, onFailure }: StreamOptions,
  { outbox, eventBus }: Pick<Triggers, 'outbox' | 'eventBus'>,
  deliver: Deliver,
  invoke: Invoke,
): Streams {
  if (shards === undefined) {
    return {
      intents: (event) => {
        for (const batch of batchesOf(event, outboxBatch)) {
          deliver('a record of the stream', outbox, batch, retries.outbox);
        }
      },
      arrivals: (event) => deliver(ARRIVED, eventBus, event, retries.inbox ?? retries.outbox),
    };
  }
  const shardOf = (target: Triggers['outbox'], reading: ShardReading): ((event: DynamoDBStreamEvent) => void) => {
    const shard = createShard<DynamoDBRecord>(clock, reading, async (records) => {
      try {
        await invoke(target, { Records: [...records] });
      } catch (error) {
        onFailure(target.name, error);
        throw error;
      }
    });
    return ({ Records }) => shard.put(Records);
  };
  return { intents: shardOf(outbox, shards.outbox), arrivals: shardOf(eventBus, shards.inbox) };
}

function batchesOf({ Records }: DynamoDBStreamEvent, size: number): readonly DynamoDBStreamEvent[] {
  const batches: DynamoDBStreamEvent[] = [];
  for (let from = 0; from < Records.length; from += size) {
    batches.push({ Records: Records.slice(from, from + size) });
  }
  return batches;
}
