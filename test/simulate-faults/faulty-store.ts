import type { StateStore } from '../../core/model/ports.ts';
import { ApiError } from '../../providers/simulated/api-call.ts';
import type { Chance, Span } from '../../providers/simulated/chance.ts';
import type { Clock } from '../../providers/simulated/clock.ts';
import type { FaultSource } from './fault-source.ts';

const CALL: Span = { min: 4, max: 25 };
const MAX_DELAY_MS = 4_000;

/** The store as a table somewhere else: calls take time, may fail, and may fail after they have taken effect. */
export function faultyStore(store: StateStore, clock: Clock, chance: Chance, faults: FaultSource): StateStore {
  const over = async <T>(name: string, signal: AbortSignal | undefined, effect: () => Promise<T>): Promise<T> => {
    const delay =
      faults.strike(
        'slow call',
        0.01,
        (own) => own.within({ min: 100, max: MAX_DELAY_MS }),
        (ms) => `store.${name} takes ${ms} ms more`,
      ) ?? 0;
    await clock.sleep(chance.within(CALL) + delay, signal);
    const error = faults.strike(
      'api error',
      0.008,
      () => new ApiError('Throttled', 'ProvisionedThroughputExceededException', 'the table is busy'),
      ({ message }) => `store.${name}: ${message}`,
    );
    if (error !== null) {
      throw error;
    }
    const answer = await effect();
    const lost = faults.strike(
      'lost answer',
      0.008,
      () => new ApiError('Timeout', 'TimeoutError', 'the answer was lost on its way'),
      ({ message }) => `store.${name}: ${message}`,
    );
    if (lost !== null) {
      throw lost;
    }
    return answer;
  };
  return {
    load: (cluster, signal) => over('load', signal, () => store.load(cluster)),
    commit: (cluster, commit, signal) => over('commit', signal, () => store.commit(cluster, commit)),
    claimIntent: (cluster, id, now, until, signal) =>
      over('claimIntent', signal, () => store.claimIntent(cluster, id, now, until)),
    releaseIntent: (cluster, id, claimedUntil, signal) =>
      over('releaseIntent', signal, () => store.releaseIntent(cluster, id, claimedUntil)),
    endIntent: (cluster, id, status, outcome, signal) =>
      over('endIntent', signal, () => store.endIntent(cluster, id, status, outcome)),
    lastDecision: (cluster, signal) => over('lastDecision', signal, () => store.lastDecision(cluster)),
  };
}
