import { backOff } from '../../core/registry/backoff.ts';
import type { GroupName } from '../../core/model/names.ts';
import type { Options } from '../../core/model/options.ts';
import type { Intent } from '../../core/model/ports.ts';
import type { Backoff, ScaleUpRequest, State } from '../../core/model/state.ts';
import type { EpochMs } from '../../core/model/time.ts';

export interface Settled {
  readonly state: State;
  /** Ids of the intents that have ended: the next commit reports them, and they are not loaded again. */
  readonly ids: readonly string[];
}

/**
 * What became of the sizes that were decided earlier, taken over into the state: an increase that was refused or has
 * failed is no longer waited for, and a group that failed is left alone for a while, as Cluster Autoscaler does when
 * the cloud turns an increase down. Pending intents change nothing.
 */
export function settle(state: State, intents: readonly Intent[], options: Options, now: EpochMs): Settled {
  const ended = intents.filter((intent) => intent.status !== 'pending');
  let requests = state.scaleUpRequests;
  const backoff: Record<GroupName, Backoff> = { ...state.backoff };
  for (const { group, status, from, to, outcome } of ended) {
    if (status !== 'done') {
      requests = without(requests, group, to - from);
    }
    if (status === 'failed') {
      backoff[group] = backOff(backoff[group] ?? null, outcome?.class ?? 'Other', options, now);
    }
  }
  return {
    state: { ...state, scaleUpRequests: requests, backoff },
    ids: ended.map(({ id }) => id),
  };
}

/** The requests with so many nodes fewer for one group, taken from the latest request first. */
function without(requests: readonly ScaleUpRequest[], group: GroupName, nodes: number): readonly ScaleUpRequest[] {
  let left = nodes;
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
