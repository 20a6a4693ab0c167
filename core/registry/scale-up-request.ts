import type { Increase } from '../model/decision.ts';
import { groupOption, type NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import type { ScaleUpRequest, State } from '../model/state.ts';
import { getExisting } from '../model/values/existing.ts';
import { mapOptional } from '../model/values/optional.ts';
import { entriesOf } from '../model/values/records.ts';
import { sortedBy, sortedRecord } from '../model/values/sorted.ts';
import { addTime, type EpochMs } from '../model/values/time.ts';
import { type GroupCounts, settledNodes } from './counts.ts';

/** The progress of a request to grow. */
export type RequestProgress =
  | { readonly kind: 'none' }
  /** Some of its nodes are still awaited. */
  | { readonly kind: 'open'; readonly request: ScaleUpRequest }
  /** Some of its nodes have not come in time. */
  | { readonly kind: 'timed out'; readonly request: ScaleUpRequest };

const NONE: RequestProgress = { kind: 'none' };

/**
 * A request is over once none of its nodes is upcoming, and has timed out when its time has passed before. Follows
 * `updateScaleRequests` of Cluster Autoscaler's clusterstate.go.
 *
 * Where a look comes soon after a size was set, instances are first seen, and so given up, a moment after the request:
 * the same look finds both, and what is given up in it has not come.
 */
export function requestProgress(
  group: NodeGroup,
  counts: GroupCounts,
  request: ScaleUpRequest | undefined,
  now: EpochMs,
): RequestProgress {
  if (request === undefined) {
    return NONE;
  }
  const isDue = request.expectedAddTime < now;
  const awaited = group.targetSize - settledNodes(counts);
  if (isDue && awaited + counts.longUnregistered.length > 0) {
    return { kind: 'timed out', request };
  }
  return !isDue && awaited > 0 ? { kind: 'open', request } : NONE;
}

/** The request for a number of nodes of a group. */
const requestFor = (group: NodeGroup, increase: number, time: EpochMs, options: Options): ScaleUpRequest => ({
  group: group.name,
  increase,
  time,
  expectedAddTime: addTime(time, groupOption(options, group, 'maxNodeProvisionTime')),
});

/**
 * The request of increases that are still to be made though none is open: their nodes had come, and another client has lowered the
 * size before the increases were recorded as made. Absent where there are none.
 */
export const requestOf = (group: NodeGroup, options: Options): ScaleUpRequest | undefined =>
  mapOptional(group.pendingIncrease, ({ nodes, since }) => requestFor(group, nodes, since, options));

/** The request without instances that will not come; over when none is left. Its times stay. */
export function reducedBy(progress: RequestProgress, instances: number): RequestProgress {
  if (progress.kind !== 'open') {
    return progress;
  }
  const increase = progress.request.increase - instances;
  return increase <= 0 ? NONE : { kind: 'open', request: { ...progress.request, increase } };
}

/**
 * The state with these increases as requests. They are registered with the decision, before any size is set; one more
 * request for a group extends the first. Follows `RegisterScaleUp` of Cluster Autoscaler's clusterstate.go.
 */
export function registerScaleUp(
  { options, nodeGroups, now }: Scenario,
  state: State,
  increases: readonly Increase[],
): State {
  if (increases.length === 0) {
    return state;
  }
  const requests = new Map(state.scaleUpRequests.map((request) => [request.group, request]));
  const groups = new Map(entriesOf(state.groups));
  const known = new Map(nodeGroups.map((group) => [group.name, group]));
  for (const { group, from, to } of increases) {
    const increase = (requests.get(group)?.increase ?? 0) + to - from;
    requests.set(group, requestFor(getExisting(known, group), increase, now, options));
    groups.set(group, {
      lastScaleUp: now,
      lastScaleDownDelete: groups.get(group)?.lastScaleDownDelete ?? null,
      lastScaleDownFailure: groups.get(group)?.lastScaleDownFailure ?? null,
    });
  }
  return {
    ...state,
    scaleUpRequests: sortedBy([...requests.values()], ({ group }) => group),
    lastScaleUp: now,
    groups: sortedRecord(groups),
  };
}
