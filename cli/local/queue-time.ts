import { randomUUID } from 'node:crypto';
import type { QueueTime } from '../../providers/memory/fifo-queue.ts';

/** Real time, without the delays of a network. */
export const QUEUE_TIME: QueueTime = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return { cancel: () => clearTimeout(timer) };
  },
  attend: () => undefined,
  delivery: () => 0,
  newId: () => randomUUID(),
};
