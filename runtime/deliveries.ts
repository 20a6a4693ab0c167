import type { RuntimeClock } from './clock.ts';
import type { FunctionName, InProcessFunction } from './functions.ts';
import type { Invoke } from './invocations.ts';
import type { Network } from './network.ts';

/** Waits before the retries of failed deliveries, in milliseconds. */
export interface Retries {
  readonly outbox: readonly number[];
  readonly eventBus: readonly number[];
  /** Retries of the stream's records of arrived events; absent: the same as for the outbox. */
  readonly inbox?: readonly number[];
  /** Retries of messages that drive drains. */
  readonly drains?: readonly number[];
}

export interface DeliveryOptions {
  readonly clock: RuntimeClock;
  readonly network: Network;
  /** Called for each failed delivery; a retry may follow. */
  readonly onFailure: (name: FunctionName, error: unknown) => void;
}

export type Deliver = <Event>(
  label: string,
  target: InProcessFunction<Event, unknown>,
  event: Event,
  retries?: readonly number[],
) => void;

/** Delivers events in the background: over the network, with retries until one attempt succeeds. */
export function deliveries({ clock, network, onFailure }: DeliveryOptions, invoke: Invoke): Deliver {
  const sleep = async (ms: number): Promise<void> => {
    if (ms > 0) {
      await clock.sleep(ms);
    }
  };
  return (label, target, event, retries = []) =>
    network.carry(label, () =>
      clock.start(async () => {
        await sleep(network.invocationMs());
        for (const wait of [...retries, null]) {
          try {
            await invoke(target, event);
            return;
          } catch (error) {
            onFailure(target.name, error);
            await sleep(wait ?? 0);
          }
        }
      }),
    );
}
