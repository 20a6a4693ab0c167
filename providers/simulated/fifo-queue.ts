import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type Chance, HEX, type Span } from './chance.ts';
import type { Clock, Timer } from './clock.ts';

const DEDUPLICATION_MS = 5 * 60_000;
const BATCH = 10;
/** From a message's arrival to the function's start. */
const DELIVERY: Span = { min: 15, max: 60 };

export interface FifoMessage {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

export interface FifoQueueOptions {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly consume: (event: SQSEvent) => Promise<SQSBatchResponse>;
  readonly visibilityTimeoutMs: number;
  /** A message that was received so often without success is given up. */
  readonly maxReceiveCount: number;
  readonly onGivenUp: (body: string) => void;
}

/** An SQS FIFO queue that feeds a Lambda function. */
export interface FifoQueue {
  readonly send: (message: FifoMessage) => void;
  /** A received message that fails comes back after so many seconds from now. */
  readonly changeVisibility: (receiptHandle: string, seconds: number) => void;
  /** Messages that wait or are being worked on. */
  readonly size: () => number;
}

interface Message {
  readonly id: string;
  readonly body: string;
  received: number;
  visibleAt: number;
}

interface Group {
  readonly name: string;
  readonly messages: Message[];
  working: boolean;
  timer: Timer | null;
}

/**
 * A queue on virtual time: within a group in order, in batches, and none while another one of the group is in flight or
 * waits to be delivered again; an id that was sent in the last five minutes is dropped.
 */
export function createFifoQueue({ clock, chance, ...options }: FifoQueueOptions): FifoQueue {
  const groups = new Map<string, Group>();
  const sent = new Map<string, number>();

  const consume = async (records: SQSRecord[]): Promise<ReadonlySet<string>> => {
    try {
      const { batchItemFailures } = await options.consume({ Records: records });
      return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    } catch {
      // A function that fails has failed with the whole batch. It has said why itself.
      return new Set(records.map(({ messageId }) => messageId));
    }
  };

  const work = async (group: Group): Promise<void> => {
    const now = clock.now();
    const hidden = group.messages.findIndex(({ visibleAt }) => visibleAt > now);
    const batch = group.messages.slice(0, Math.min(BATCH, hidden === -1 ? BATCH : hidden));
    for (const message of batch) {
      message.received += 1;
      message.visibleAt = now + options.visibilityTimeoutMs;
    }
    const failed = await consume(batch.map((message) => recordOf(message, group.name)));
    for (const message of batch) {
      const again = failed.has(message.id) && message.received < options.maxReceiveCount;
      if (!again) {
        group.messages.splice(group.messages.indexOf(message), 1);
        if (failed.has(message.id)) {
          options.onGivenUp(message.body);
        }
      }
    }
  };

  const pump = (group: Group): void => {
    const head = group.messages[0];
    if (group.working || head === undefined) {
      return;
    }
    group.timer?.cancel();
    group.timer = clock.after(Math.max(head.visibleAt - clock.now(), 0) + chance.within(DELIVERY), () => {
      group.timer = null;
      group.working = true;
      clock.start(async () => {
        await work(group);
        group.working = false;
        pump(group);
      });
    });
  };

  return {
    send: ({ body, group: name, deduplicationId }) => {
      const now = clock.now();
      // Oldest first, as a Map keeps them.
      for (const [id, until] of sent) {
        if (until > now) {
          break;
        }
        sent.delete(id);
      }
      if (sent.has(deduplicationId)) {
        return;
      }
      sent.set(deduplicationId, now + DEDUPLICATION_MS);
      const group = groups.get(name) ?? { name, messages: [], working: false, timer: null };
      groups.set(name, group);
      group.messages.push({ id: `m-${chance.text(16, HEX)}`, body, received: 0, visibleAt: now });
      if (group.timer === null) {
        pump(group);
      }
    },
    changeVisibility: (receiptHandle, seconds) => {
      for (const { messages } of groups.values()) {
        const message = messages.find(({ id }) => id === receiptHandle);
        if (message !== undefined) {
          message.visibleAt = clock.now() + seconds * 1_000;
        }
      }
    },
    size: () => [...groups.values()].reduce((sum, { messages }) => sum + messages.length, 0),
  };
}

const recordOf = ({ id, body, received }: Message, group: string): SQSRecord => ({
  messageId: id,
  receiptHandle: id,
  body,
  attributes: {
    ApproximateReceiveCount: String(received),
    SentTimestamp: '',
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '',
    MessageGroupId: group,
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
});
