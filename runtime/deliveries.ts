import { backoffMs, type RuntimeClock } from './clock.ts';
import type { FunctionName, InProcessFunction } from './functions.ts';
import { type ChainedInvoke, Throttled } from './invocations.ts';
import type { Attempts } from './lambda-rules.ts';
import type { FunctionNetwork } from './network.ts';

export interface DeliveryOptions {
  readonly clock: RuntimeClock;
  readonly network: FunctionNetwork;
  /** Called for each failed delivery; a retry may follow. */
  readonly onFailure: (name: FunctionName, error: unknown) => void;
}

/** How an event is delivered. */
interface Delivery {
  readonly label: string;
  readonly attempts: Attempts;
  /** Length of the chain of invocations that has sent the event; see `ChainedInvoke`. */
  readonly chain: number;
}

export type Deliver = <Event>(target: InProcessFunction<Event, unknown>, event: Event, delivery: Delivery) => void;

/** The longest time from one attempt at a throttled invocation to the next, in milliseconds. */
const LONGEST_BACKOFF_MS = 5 * 60_000;

/**
 * Delivers events in the background, over the network, as Lambda delivers asynchronous invocations: an invocation that fails
 * is repeated after the waits, and one for which there is no concurrency until the event is too old.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function deliveries({ clock, network, onFailure }: DeliveryOptions, invoke: ChainedInvoke): Deliver {
  const sleep = async (ms: number): Promise<void> => {
    if (ms > 0) {
      await clock.sleep(ms);
    }
  };
  return (target, event, { label, attempts: { waitsMs, maxAgeMs }, chain }) =>
    network.carry(label, () =>
      clock.start(async () => {
        const sentAt = clock.now();
        const waits = [...waitsMs];
        let throttled = 0;
        await sleep(network.invocationMs());
        for (;;) {
          try {
            await invoke(target, event, chain);
            return;
          } catch (error) {
            onFailure(target.name, error);
            const wait = error instanceof Throttled ? backoffMs(throttled++, LONGEST_BACKOFF_MS) : waits.shift();
            if (wait === undefined || clock.now() + wait - sentAt > maxAgeMs) {
              return;
            }
            await sleep(wait);
          }
        }
      }),
    );
}
