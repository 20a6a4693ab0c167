import { present } from '../model/values/present.ts';
import type { Removal, Unremovable } from '../model/decision.ts';
import type { NodeName } from '../model/values/names.ts';
import { keyOf } from '../model/cluster/pod.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedBy, sortedRecord } from '../model/values/sorted.ts';
import type { DeletionInProgress, ScaleDownRequest, State } from '../model/state.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';
import { isEmpty } from './candidates.ts';
import type { RemovalCandidate } from './unneeded.ts';

/**
 * How long the cloud may take to show that an instance ends. Cluster Autoscaler's `MaxCloudProviderNodeDeletionTime`.
 */
export const DELETION_TIME = minutes(5);

/** The removal as the decision reports it. */
export const toRemoval = ({ candidate, destinations, reason }: RemovalCandidate): Removal => ({
  node: candidate.node.name,
  group: candidate.group.name,
  kind: isEmpty(candidate) ? 'empty' : 'drain',
  ...present({ reason }),
  pods: candidate.drain.move.map(keyOf),
  destinations,
});

/**
 * The nodes not to try again for a while: remembered nodes that still exist, and nodes whose pods cannot move. Reasons
 * that depend on other removals, such as disruption budgets, are checked every time.
 */
export function unremovableUntil(
  { options, state, objects, now }: Scenario,
  unremovable: readonly Unremovable[],
  retryAt: ReadonlyMap<NodeName, EpochMs>,
): State['unremovableUntil'] {
  const there = new Set(objects.nodes.map(({ name }) => name));
  const before = (Object.entries(state.unremovableUntil) as [NodeName, EpochMs][]).filter(
    ([name, until]) => until > now && there.has(name),
  );
  const until = addTime(now, options.unremovableNodeRecheckTimeout);
  const fresh = unremovable
    .filter(({ reason, podReason }) => reason !== 'NotUnneededOtherReason' && podReason !== 'NotEnoughPdb')
    .map(({ node }) => [node, until] as const)
    .filter(() => until > now);
  return sortedRecord([...before, ...fresh, ...retryAt]);
}

/** The state in which these removals are in progress. */
export function withRemovals(
  { deletionsInProgress, scaleDownRequests }: State,
  removals: readonly Removal[],
  now: EpochMs,
): Pick<State, 'deletionsInProgress' | 'scaleDownRequests'> {
  const deletions = removals.map(({ node, group, kind }): DeletionInProgress => ({ node, group, kind, since: now }));
  const requests = removals.map(({ node, group }): ScaleDownRequest => ({
    group,
    node,
    time: now,
    expectedDeleteTime: addTime(now, DELETION_TIME),
  }));
  return {
    deletionsInProgress: sortedBy([...deletionsInProgress, ...deletions], ({ node }) => node),
    scaleDownRequests: sortedBy([...scaleDownRequests, ...requests], ({ node }) => node),
  };
}
