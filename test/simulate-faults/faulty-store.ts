import { ServiceError } from '../../simulation/api-call.ts';
import type { Chance } from '../../simulation/chance.ts';
import type { Span } from '../../core/model/values/random.ts';
import type { Clock } from '../../simulation/clock.ts';
import type { FaultSource } from './fault-source.ts';
import type { Outages } from './outages.ts';

const CALL: Span = { min: 4, max: 25 };
const MAX_DELAY_MS = 4_000;

/** Makes a call to the table. */
export type TableCall = <T>(name: string, signal: AbortSignal | undefined, effect: () => Promise<T>) => Promise<T>;

/** A table somewhere else: calls take time, may fail, and may fail after they have taken effect. */
export const tableCalls =
  (clock: Clock, chance: Chance, faults: FaultSource, outages: Pick<Outages, 'failure'>): TableCall =>
  async (name, signal, effect) => {
    const delay =
      faults.strike(
        'slow call',
        0.01,
        (own) => own.within({ min: 100, max: MAX_DELAY_MS }),
        (ms) => `${name} takes ${ms} ms more`,
      ) ?? 0;
    await clock.sleep(chance.within(CALL) + delay, signal);
    const down = outages.failure('table');
    if (down !== null) {
      throw down;
    }
    const error = faults.strike(
      'api error',
      0.008,
      () => new ServiceError('Throttled', 'ProvisionedThroughputExceededException', 'the table is busy'),
      ({ message }) => `${name}: ${message}`,
    );
    if (error !== null) {
      throw error;
    }
    const answer = await effect();
    const lost = faults.strike(
      'lost answer',
      0.008,
      () => new ServiceError('Timeout', 'TimeoutError', 'the answer was lost on its way'),
      ({ message }) => `${name}: ${message}`,
    );
    if (lost !== null) {
      throw lost;
    }
    return answer;
  };

/** A port of the table. A call that was made takes effect, whatever becomes of its signal. */
export const overTable = <Port extends object>(name: string, port: Port, over: TableCall): Port =>
  Object.fromEntries(
    Object.entries(port).map(([operation, call]: [string, (...given: readonly unknown[]) => Promise<unknown>]) => [
      operation,
      async (...args: readonly unknown[]) => {
        const signal = args.find((one) => one instanceof AbortSignal);
        const given = args.map((one) => (one === signal ? undefined : one));
        return await over(`${name}.${operation}`, signal, () => call(...given));
      },
    ]),
  ) as Port;
