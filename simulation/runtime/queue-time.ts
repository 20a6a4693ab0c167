import type { QueueTime } from '@outrigger/providers/memory/fifo-queue.ts';
import { type Chance, HEX } from '../chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { Clock } from '../clock.ts';

const DELIVERY: Span = { min: 15, max: 60 };

/** Virtual time, with a delay from a message's arrival to its function. */
export const queueTime = (clock: Clock, chance: Chance): QueueTime => ({
  now: clock.now,
  after: clock.after,
  attend: (work) => clock.start(async () => await work),
  delivery: () => chance.within(DELIVERY),
  newId: () => `m-${chance.text(16, HEX)}`,
});
