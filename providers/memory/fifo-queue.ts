import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';

/** As on AWS: a message with the deduplication ID of one that was sent in the last five minutes is dropped. */
const DEDUPLICATION_MS = 5 * 60_000;
/** As on AWS: the maximum batch size. */
const BATCH = 10;

export interface FifoMessage {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
  readonly traceHeader?: string;
}

/** The clock of a queue: the real one, or that of a simulation. */
export interface QueueTime {
  /** Milliseconds. */
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => { readonly cancel: () => void };
  /** Called with work that has begun, for a clock that must not advance while it runs. */
  readonly attend: (work: Promise<void>) => void;
  /** From a message's arrival to the function's start, in milliseconds. */
  readonly delivery: () => number;
  readonly newId: () => string;
}

interface FifoQueueOptions {
  readonly time: QueueTime;
  readonly consume: (event: SQSEvent) => Promise<SQSBatchResponse>;
  /** Visibility timeout: a message that is received and not deleted becomes visible again after it. */
  readonly visibilityTimeoutMs: number;
  /** A message that was sent so long ago is dropped, in milliseconds; absent: it waits for ever. */
  readonly retentionMs?: number;
  /** Batches that are consumed at a time; absent: one of each group. */
  readonly maxConcurrency?: number;
  /** A message that was received this number of times without success is dropped. */
  readonly maxReceiveCount: number;
  readonly onGivenUp: (body: string) => void;
}

/** A queue in this process with the semantics of an SQS FIFO queue that feeds a Lambda function. */
export interface FifoQueue {
  readonly send: (message: FifoMessage) => void;
  /** Sets after how many seconds from now a received message becomes visible again if it fails. */
  readonly changeVisibility: (receiptHandle: string, seconds: number) => void;
  /** Messages that are waiting or in flight. */
  readonly size: () => number;
  /** Stops delivery; resolves when messages in flight are finished. */
  readonly close: () => Promise<void>;
}

interface Message {
  readonly id: string;
  readonly body: string;
  readonly traceHeader: string;
  readonly sentAt: number;
  received: number;
  visibleAt: number;
}

interface Group {
  readonly name: string;
  readonly messages: Message[];
  working: Promise<void> | null;
  timer: { readonly cancel: () => void } | null;
}

/** The parts of an open queue. */
interface Queue extends FifoQueueOptions {
  readonly groups: Map<string, Group>;
  /** When each deduplication ID expires, the oldest first, in the Map's insertion order. */
  readonly sent: Map<string, number>;
  /** Groups whose next batch waits until another one is consumed. */
  readonly waiting: Group[];
  /** Batches that are being consumed. */
  busy: number;
  closed: boolean;
}

/**
 * Starts a queue. Messages of one group are delivered in order, in batches, and only when none of the group is in
 * flight or waits to be delivered again; groups do not wait for each other.
 */
export function createFifoQueue(options: FifoQueueOptions): FifoQueue {
  const queue: Queue = { ...options, groups: new Map(), sent: new Map(), waiting: [], busy: 0, closed: false };
  const { time, groups } = queue;
  return {
    send: (message) => send(queue, message),
    changeVisibility: (receiptHandle, seconds) => {
      for (const { messages } of groups.values()) {
        const message = messages.find(({ id }) => id === receiptHandle);
        if (message !== undefined) {
          message.visibleAt = time.now() + seconds * 1_000;
        }
      }
    },
    size: () => [...groups.values()].reduce((sum, { messages }) => sum + messages.length, 0),
    close: async () => {
      queue.closed = true;
      for (const { timer } of groups.values()) {
        timer?.cancel();
      }
      await Promise.all([...groups.values()].flatMap(({ working }) => working ?? []));
    },
  };
}

function send(queue: Queue, { body, group: name, deduplicationId, traceHeader = '' }: FifoMessage): void {
  const { time, groups, sent } = queue;
  const now = time.now();
  for (const [id, until] of sent) {
    if (until > now) {
      break;
    }
    sent.delete(id);
  }
  if (queue.closed || sent.has(deduplicationId)) {
    return;
  }
  sent.set(deduplicationId, now + DEDUPLICATION_MS);
  const group = getOrMake(groups, name, () => ({ name, messages: [], working: null, timer: null }));
  group.messages.push({ id: time.newId(), body, traceHeader, sentAt: now, received: 0, visibleAt: now });
  deliverNext(queue, group);
}

/** In place of the timer of a group that waits for its turn. */
const NO_TIMER = { cancel: (): void => {} };

/** Delivers the group's next batch as soon as its first message is visible, unless one is in flight. */
function deliverNext(queue: Queue, group: Group): void {
  const { time } = queue;
  const head = group.messages[0];
  if (queue.closed || group.working !== null || group.timer !== null || head === undefined) {
    return;
  }
  const begin = (): void => takeTurn(queue, group);
  const wait = Math.max(head.visibleAt - time.now(), 0) + time.delivery();
  if (wait === 0) {
    begin();
  } else {
    group.timer = time.after(wait, begin);
  }
}

/** Delivers a batch now, or when it is the turn of the group. */
function takeTurn(queue: Queue, group: Group): void {
  const { time, maxConcurrency = Number.POSITIVE_INFINITY } = queue;
  if (queue.busy >= maxConcurrency) {
    group.timer = NO_TIMER;
    queue.waiting.push(group);
    return;
  }
  group.timer = null;
  queue.busy += 1;
  group.working = deliver(queue, group);
  time.attend(group.working);
}

async function deliver(queue: Queue, group: Group): Promise<void> {
  const now = queue.time.now();
  dropExpired(queue, group, now);
  const hidden = group.messages.findIndex(({ visibleAt }) => visibleAt > now);
  const batch = group.messages.slice(0, Math.min(BATCH, hidden === -1 ? BATCH : hidden));
  for (const message of batch) {
    message.received += 1;
    message.visibleAt = now + queue.visibilityTimeoutMs;
  }
  const records = batch.map((message) => recordOf(message, group.name));
  const failed = records.length === 0 ? new Set<string>() : await consume(queue, records);
  for (const message of batch) {
    if (failed.has(message.id) && message.received < queue.maxReceiveCount) {
      continue;
    }
    group.messages.splice(group.messages.indexOf(message), 1);
    if (failed.has(message.id)) {
      queue.onGivenUp(message.body);
    }
  }
  group.working = null;
  queue.busy -= 1;
  const next = queue.closed ? undefined : queue.waiting.shift();
  if (next !== undefined) {
    takeTurn(queue, next);
  }
  deliverNext(queue, group);
}

function dropExpired({ retentionMs = Number.POSITIVE_INFINITY, onGivenUp }: Queue, group: Group, now: number): void {
  const expired = group.messages.filter(({ sentAt }) => now - sentAt > retentionMs);
  for (const message of expired) {
    group.messages.splice(group.messages.indexOf(message), 1);
    onGivenUp(message.body);
  }
}

/** @returns the IDs of the messages that have failed. */
async function consume(queue: Queue, records: SQSRecord[]): Promise<ReadonlySet<string>> {
  try {
    const { batchItemFailures } = await queue.consume({ Records: records });
    return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  } catch {
    // As on AWS: when a function fails, the whole batch has failed; the function has logged the reason.
    return new Set(records.map(({ messageId }) => messageId));
  }
}

const recordOf = ({ id, body, traceHeader, received }: Message, group: string): SQSRecord => ({
  messageId: id,
  receiptHandle: id,
  body,
  attributes: {
    ApproximateReceiveCount: String(received),
    SentTimestamp: '',
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '',
    MessageGroupId: group,
    AWSTraceHeader: traceHeader,
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
});
