import { groupOption, type NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import type { ScaleUpRequest } from '../model/state.ts';
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
  request: ScaleUpRequest | null,
  now: EpochMs,
): RequestProgress {
  if (request === null) {
    return NONE;
  }
  const due = request.expectedAddTime < now;
  const awaited = group.targetSize - settledNodes(counts) + (due ? counts.longUnregistered.length : 0);
  const kind = due ? 'timed out' : 'open';
  return awaited <= 0 ? NONE : { kind, request };
}

/**
 * The request of increases that are still to be made though none is open: their nodes had come, and another client has lowered the
 * size before the increases were recorded as made. `null` where there are none.
 */
export const requestOf = (group: NodeGroup, options: Options): ScaleUpRequest | null => {
  const { name, beingRaised } = group;
  return beingRaised === undefined
    ? null
    : {
        group: name,
        increase: beingRaised.nodes,
        time: beingRaised.since,
        expectedAddTime: addTime(beingRaised.since, groupOption(options, group, 'maxNodeProvisionTime')),
      };
};

/** The request without instances that will not come; over when none is left. Its times stay. */
export function reducedBy(progress: RequestProgress, instances: number): RequestProgress {
  if (progress.kind !== 'open' || instances === 0) {
    return progress;
  }
  const increase = progress.request.increase - instances;
  return increase <= 0 ? NONE : { kind: 'open', request: { ...progress.request, increase } };
}
