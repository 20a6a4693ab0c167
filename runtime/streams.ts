import { chunksOf } from '@outrigger/core/model/values/chunks.ts';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Deliver, DeliveryOptions } from './deliveries.ts';
import type { Triggers } from './functions.ts';
import type { ChainedInvoke } from './invocations.ts';
import type { StreamReading } from './lambda-rules.ts';
import { createShard, type ShardReading } from './shard.ts';

/** The name of the stream's records of what has arrived, for logs of the network. */
export const ARRIVED = 'an arrived event';

export interface StreamOptions extends DeliveryOptions {
  readonly stream: StreamReading;
}

/** Announces new items of the table, as its stream does. */
interface Streams {
  readonly intents: (event: DynamoDBStreamEvent) => void;
  readonly arrivals: (event: DynamoDBStreamEvent) => void;
}

export function createStreams(
  { clock, stream, onFailure }: StreamOptions,
  { outbox, eventBus }: Pick<Triggers, 'outbox' | 'eventBus'>,
  deliver: Deliver,
  invoke: ChainedInvoke,
): Streams {
  if (stream.kind === 'messages') {
    return {
      intents: (event) => {
        for (const some of chunksOf(event.Records, stream.outboxBatch)) {
          deliver(
            outbox,
            { Records: [...some] },
            { label: 'a record of the stream', attempts: stream.outbox, chain: 0 },
          );
        }
      },
      arrivals: (event) => deliver(eventBus, event, { label: ARRIVED, attempts: stream.inbox, chain: 0 }),
    };
  }
  const shardOf = (target: Triggers['outbox'], reading: ShardReading): ((event: DynamoDBStreamEvent) => void) => {
    const shard = createShard<DynamoDBRecord>(clock, reading, async (records) => {
      try {
        await invoke(target, { Records: [...records] }, 0);
      } catch (error) {
        onFailure(target.name, error);
        throw error;
      }
    });
    return ({ Records }) => shard.put(Records);
  };
  return { intents: shardOf(outbox, stream.outbox), arrivals: shardOf(eventBus, stream.inbox) };
}
