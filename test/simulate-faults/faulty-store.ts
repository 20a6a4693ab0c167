import type { NoticeInbox } from '../../core/ports/notice-inbox.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import { ApiError } from '../../providers/simulated/api-call.ts';
import type { Chance, Span } from '../../providers/simulated/chance.ts';
import type { Clock } from '../../providers/simulated/clock.ts';
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
      () => new ApiError('Throttled', 'ProvisionedThroughputExceededException', 'the table is busy'),
      ({ message }) => `${name}: ${message}`,
    );
    if (error !== null) {
      throw error;
    }
    const answer = await effect();
    const lost = faults.strike(
      'lost answer',
      0.008,
      () => new ApiError('Timeout', 'TimeoutError', 'the answer was lost on its way'),
      ({ message }) => `${name}: ${message}`,
    );
    if (lost !== null) {
      throw lost;
    }
    return answer;
  };

export function faultyStore(store: StateStore, over: TableCall): StateStore {
  return {
    load: (cluster, signal) => over('store.load', signal, () => store.load(cluster)),
    pendingIntents: (cluster, signal) => over('store.pendingIntents', signal, () => store.pendingIntents(cluster)),
    commit: (cluster, commit, signal) => over('store.commit', signal, () => store.commit(cluster, commit)),
    claimIntent: (cluster, id, now, until, signal) =>
      over('store.claimIntent', signal, () => store.claimIntent(cluster, id, now, until)),
    releaseIntent: (cluster, id, claimedUntil, signal) =>
      over('store.releaseIntent', signal, () => store.releaseIntent(cluster, id, claimedUntil)),
    endIntent: (cluster, id, status, outcome, signal) =>
      over('store.endIntent', signal, () => store.endIntent(cluster, id, status, outcome)),
    addNotice: (cluster, notice, signal) => over('store.addNotice', signal, () => store.addNotice(cluster, notice)),
    lastDecision: (cluster, signal, of) =>
      over('store.lastDecision', signal, () => store.lastDecision(cluster, undefined, of)),
  };
}

export function faultyInbox(inbox: NoticeInbox, over: TableCall): NoticeInbox {
  return {
    add: (cluster, event, signal) => over('inbox.add', signal, () => inbox.add(cluster, event)),
    list: (cluster, signal) => over('inbox.list', signal, () => inbox.list(cluster)),
    remove: (cluster, ids, signal) => over('inbox.remove', signal, () => inbox.remove(cluster, ids)),
  };
}

export function faultyDrains(drains: DrainStore, over: TableCall): DrainStore {
  return {
    list: (cluster, signal) => over('drains.list', signal, () => drains.list(cluster)),
    load: (cluster, id, signal) => over('drains.load', signal, () => drains.load(cluster, id)),
    create: (cluster, change, signal) => over('drains.create', signal, () => drains.create(cluster, change)),
    save: (cluster, change, revision, signal) =>
      over('drains.save', signal, () => drains.save(cluster, change, revision)),
    remove: (cluster, ids, signal) => over('drains.remove', signal, () => drains.remove(cluster, ids)),
  };
}
