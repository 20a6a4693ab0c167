import { type EpochMs, epochMs, minutes } from '../../core/model/values/time.ts';
import { ServiceError } from '../../simulation/api-call.ts';
import type { Clock } from '../../simulation/clock.ts';
import type { FaultSource } from './fault-source.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** Services that may be away, as a whole. */
export const SERVICES = ['kubernetes', 'autoscaling', 'management', 'table', 'messages'] as const;
export type Service = (typeof SERVICES)[number];

const EVERY_MS = 20_000;
const BEGINS = 0.012;
const LENGTH = { min: 60_000, max: Number(minutes(5)) };

/** Services that are out of order for minutes: every call of them fails, and messages wait. */
export interface Outages {
  /** Why a call of the service fails now; `null`: it need not. */
  readonly failure: (service: Service) => ServiceError | null;
  /** Until when messages wait; `null`: they need not. */
  readonly messagesUntil: () => EpochMs | null;
}

/** @param onFelt a call has failed, or a message waits. */
export function startOutages(
  clock: Clock,
  { faultsUntil, provider }: Pick<FaultScenario, 'faultsUntil' | 'provider'>,
  faults: FaultSource,
  onFelt: (service: Service) => void,
): Outages {
  const services = SERVICES.filter((one) => one !== (provider === 'aws' ? 'management' : 'autoscaling'));
  const until = new Map<Service, { readonly at: EpochMs; readonly error: ServiceError }>();
  const begin = (): void => {
    const outage = faults.strike(
      'outage',
      BEGINS,
      (chance) => {
        const service = chance.oneOf(services);
        const error =
          chance.next() < 0.5
            ? new ServiceError('Throttled', 'Throttling', 'Rate exceeded')
            : new ServiceError('Other', 'ServiceUnavailable', 'the service is out of order');
        const at = epochMs(Math.min(faultsUntil, clock.now() + chance.within(LENGTH)));
        return at <= clock.now() ? null : { service, error, at };
      },
      ({ service, error, at }) => `${service} is out of order for ${at - clock.now()} ms (${error.code})`,
    );
    if (outage !== null) {
      until.set(outage.service, outage);
    }
    if (!faults.stopped()) {
      clock.after(EVERY_MS, begin);
    }
  };
  clock.after(EVERY_MS, begin);
  const outageOf = (service: Service) => {
    const outage = until.get(service);
    if (outage === undefined || outage.at <= clock.now()) {
      return null;
    }
    onFelt(service);
    return outage;
  };
  return {
    failure: (service) => outageOf(service)?.error ?? null,
    messagesUntil: () => outageOf('messages')?.at ?? null,
  };
}
