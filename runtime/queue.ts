import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { MOST_DELIVERIES } from '@outrigger/core/wakeups/redelivery.ts';
import type { Services } from '../functions/shared/services.ts';
import { createFifoQueue, type FifoMessage, type QueueTime } from '@outrigger/providers/memory/fifo-queue.ts';
import type { RuntimeClock } from './clock.ts';
import type { FunctionNetwork } from './network.ts';

/** The wake-up queue, for its senders and its receiver. */
export interface WakeUpQueue extends Pick<Services, 'redeliverAfter'> {
  /**
   * Sends a message over the network.
   *
   * @param label what the message is, for logs of the network
   * @param message makes the message when it is sent
   */
  readonly send: (label: string, message: () => FifoMessage) => Promise<void>;
  /** Sends the scan of a schedule. No function waits for it. */
  readonly scan: (label: string, cluster: ClusterName) => void;
  /** Stops the delivery; resolves when the messages that were received are handled. */
  readonly close: () => Promise<void>;
}

export interface WakeUpQueueOptions {
  readonly clock: RuntimeClock;
  readonly time: QueueTime;
  readonly network: FunctionNetwork;
  /** A wake-up that was received and neither deleted nor returned is delivered again after this time. */
  readonly visibilityTimeoutMs: number;
  /** Length of the chain of the invocation that sends a message. */
  readonly chain: () => number;
  /** A wake-up that waits longer is dropped, in milliseconds; absent: none is. */
  readonly retentionMs?: number;
  /** Batches of wake-ups that are handled at a time; absent: one of each message group. */
  readonly maxConcurrency?: number;
  readonly consume: (event: SQSEvent) => Promise<SQSBatchResponse>;
  readonly onGivenUp: (body: string) => void;
}

/** SQS hands on in a message how many invocations have led to it. */
const LINEAGE = 'Lineage=1:outrigger:';

/** Length of the longest chain that has led to one of the messages. */
export const chainOf = ({ Records }: SQSEvent): number =>
  Math.max(0, ...Records.map(({ attributes }) => Number(attributes.AWSTraceHeader?.slice(LINEAGE.length) ?? 0)));

/** Starts a queue in this process with the semantics of the stack's SQS FIFO queue. */
export function createWakeUpQueue(options: WakeUpQueueOptions): WakeUpQueue {
  const { clock, network } = options;
  const queue = createFifoQueue({ ...options, maxReceiveCount: MOST_DELIVERIES });
  const leave = async (): Promise<void> => {
    const ms = network.sendMs();
    if (ms > 0) {
      await clock.sleep(ms);
    }
  };
  const carry = (label: string, message: FifoMessage): void => network.carry(label, () => queue.send(message));
  return {
    send: async (label, message) => {
      const chain = options.chain();
      await leave();
      carry(label, { ...message(), traceHeader: `${LINEAGE}${chain}` });
    },
    scan: (label, cluster) => {
      const at = new Date(clock.now()).toISOString();
      carry(label, {
        body: JSON.stringify({ cluster, scan: at }),
        group: cluster,
        deduplicationId: `${cluster}:scan:${at}`,
      });
    },
    redeliverAfter: async (receiptHandle, seconds) => {
      await leave();
      queue.changeVisibility(receiptHandle, seconds);
    },
    close: queue.close,
  };
}
