import { minutes, seconds } from '@outrigger/core/model/values/time.ts';
import type { FunctionName } from './functions.ts';
import type { ShardReading } from './shard.ts';

/** Attempts at the delivery of an event. */
export interface Attempts {
  /** Waits before the retries of an invocation that failed, in milliseconds. */
  readonly waitsMs: readonly number[];
  /** An event that has waited longer is dropped, in milliseconds. */
  readonly maxAgeMs: number;
}

/** Settings of Lambda for one function. */
interface FunctionRules {
  /** Whether Lambda lets the function invoke itself again and again, over queues or other functions (`RecursiveLoop: Allow`). */
  readonly mayRecur: boolean;
  /** Attempts of Lambda at an asynchronous invocation, or those of the queue that the function receives from. */
  readonly attempts: Attempts;
}

export type LambdaRules = Readonly<Record<FunctionName, FunctionRules>>;

/** How the functions receive the records of the table's stream. */
export type StreamReading =
  /** Records of a shard come in their order, one batch after the other, as on AWS. */
  | { readonly kind: 'shards'; readonly outbox: ShardReading; readonly inbox: ShardReading }
  /** Each event is a message of its own, with attempts of its own; intents of one commit are in batches of `outboxBatch`. */
  | { readonly kind: 'messages'; readonly outboxBatch: number; readonly outbox: Attempts; readonly inbox: Attempts };

/**
 * Longest chain of invocations, each of which leads to the next through SQS or by `Invoke`. Lambda drops the one after it:
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html.
 */
export const LONGEST_CHAIN = 16;

/** The event is dropped where its invocation fails. */
export const ONE_ATTEMPT: Attempts = { waitsMs: [], maxAgeMs: 0 };
const BY_THE_CLOCK: Attempts = { waitsMs: [], maxAgeMs: minutes(1) };
/** The queue of drains hides a message for the time-out of the function, and drops it after three attempts. */
const MESSAGES: Attempts = { waitsMs: [seconds(60), seconds(60)], maxAgeMs: minutes(60) };

/**
 * Time limits of the functions in the stack, for a cluster of the size `small`, in milliseconds. A test compares all of these
 * settings with the template.
 */
export const TIMEOUTS_MS: Readonly<Record<FunctionName, number>> = {
  ingest: seconds(3),
  wake: seconds(30),
  'scale-up': seconds(60),
  'scale-down': seconds(60),
  actuate: seconds(50),
  drain: seconds(60),
};

export const LAMBDA_RULES: LambdaRules = {
  ingest: { mayRecur: false, attempts: ONE_ATTEMPT },
  wake: { mayRecur: false, attempts: { waitsMs: [minutes(1), minutes(2)], maxAgeMs: minutes(5) } },
  'scale-up': { mayRecur: true, attempts: ONE_ATTEMPT },
  'scale-down': { mayRecur: true, attempts: BY_THE_CLOCK },
  actuate: { mayRecur: false, attempts: BY_THE_CLOCK },
  drain: { mayRecur: true, attempts: MESSAGES },
};

const ONCE: FunctionRules = { mayRecur: true, attempts: ONE_ATTEMPT };
/** Outside of Lambda nothing is repeated, and chains have no limit. */
export const NO_LAMBDA: LambdaRules = {
  ingest: ONCE,
  wake: ONCE,
  'scale-up': ONCE,
  'scale-down': ONCE,
  actuate: ONCE,
  drain: ONCE,
};

/** Settings of the queue of wake-ups and of its event source mapping. */
export const WAKE_UPS = { visibilityTimeoutMs: seconds(60), retentionMs: minutes(10), maxConcurrency: 2 };

/** How the event source mappings read the table's stream. */
export const STREAM: StreamReading = {
  kind: 'shards',
  outbox: { batchSize: 10, retryAttempts: 3, maxRecordAgeMs: minutes(2) },
  inbox: { batchSize: 100, retryAttempts: 10_000, maxRecordAgeMs: minutes(15) },
};
