import { valueOf } from '../../model/values/records.ts';
import { backOff } from '../../registry/backoff.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { Options } from '../../model/options.ts';
import type { Intent } from '../../model/intent.ts';
import type { Backoff, ScaleUpRequest, State } from '../../model/state.ts';
import { addTime, type EpochMs, minutes } from '../../model/values/time.ts';
import { isJustDone } from './in-flight-changes.ts';
import { knownRequests } from './lost-requests.ts';

interface SettledIntents {
  readonly state: State;
  /** Ids of the intents that have ended: the next commit reports them, and they are not loaded again. */
  readonly ids: readonly string[];
}

/** So long is a group left alone when a repair of it could not be made. */
const REPAIR_PAUSE = minutes(1);

/**
 * Takes the results of earlier changes over into the state: an increase that was refused or has failed is no longer
 * waited for, and a group that failed is left alone for a while, as Cluster Autoscaler does when the cloud turns an
 * increase down. A repair that was not made is not tried again at once. Pending intents change nothing, and intents
 * that have only just been done are kept for as long as descriptions may not show them.
 */
export function settle(state: State, intents: readonly Intent[], options: Options, now: EpochMs): SettledIntents {
  const ended = intents.filter((intent) => intent.status !== 'pending' && !isJustDone(intent, now));
  let requests = knownRequests(state, intents, options);
  const backoff: Record<GroupName, Backoff> = { ...state.backoff };
  const repairBackoff: Record<GroupName, EpochMs> = { ...state.repairBackoff };
  for (const intent of ended) {
    const { group, status, outcome } = intent;
    if (status === 'done') {
      continue;
    }
    if (intent.kind === 'RemoveNodes') {
      // The drains in the store say which nodes are on their way out; without one a node simply stays.
      continue;
    }
    if (intent.kind === 'DeleteInstances' || intent.to < intent.from) {
      repairBackoff[group] = addTime(now, REPAIR_PAUSE);
      continue;
    }
    requests = without(requests, group, intent.to - intent.from, stillAsked(intents, group, now));
    if (status === 'failed') {
      backoff[group] = backOff(valueOf(backoff, group), outcome?.class ?? 'Other', options, now);
    }
  }
  return {
    state: { ...state, scaleUpRequests: requests, backoff, repairBackoff },
    ids: ended.map(({ id }) => id),
  };
}

/** Removals that have ended. They are merely not loaded again: the drains in the store tell the results. */
export const endedRemovals = (intents: readonly Intent[]): readonly string[] =>
  intents.filter(({ kind, status }) => kind === 'RemoveNodes' && status !== 'pending').map(({ id }) => id);

/** The number of nodes of a group that pending or recent intents request. */
const stillAsked = (intents: readonly Intent[], group: GroupName, now: EpochMs): number =>
  intents
    .filter((intent) => intent.kind === 'SetSize')
    .filter((intent) => intent.group === group && (intent.status === 'pending' || isJustDone(intent, now)))
    .reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);

/**
 * The requests with `nodes` nodes fewer for one group, taken from the latest request first. What the group still has to
 * get stays: the request that is taken back may have ended long ago, with a later one in its place.
 */
function without(
  requests: readonly ScaleUpRequest[],
  group: GroupName,
  nodes: number,
  asked: number,
): readonly ScaleUpRequest[] {
  const open = requests.filter((one) => one.group === group).reduce((sum, { increase }) => sum + increase, 0);
  let left = Math.min(nodes, Math.max(0, open - asked));
  return requests
    .toReversed()
    .flatMap((request) => {
      if (request.group !== group || left <= 0) {
        return [request];
      }
      const taken = Math.min(left, request.increase);
      left -= taken;
      return taken === request.increase ? [] : [{ ...request, increase: request.increase - taken }];
    })
    .reverse();
}
