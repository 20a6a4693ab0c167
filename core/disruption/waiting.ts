import { present } from '../model/values/present.ts';
import { getExisting } from '../model/values/existing.ts';
import type { Disruption } from '../model/disruption.ts';
import type { GroupName, NodeName } from '../model/values/names.ts';
import { readable } from '../model/fault.ts';
import { pauseOf } from '../model/pause.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedBy } from '../model/values/sorted.ts';
import {
  type DeletionInProgress,
  nodesBeingRemoved,
  type State,
  STATE_ORDER,
  withoutDeletions,
} from '../model/state.ts';
import type { EpochMs } from '../model/values/time.ts';

/** A disruption whose nodes all exist, with the groups of the nodes. */
export interface WaitingDisruption {
  readonly disruption: Disruption;
  readonly groups: ReadonlyMap<NodeName, GroupName>;
}

/** The disruption that has waited for longest comes first, where drains or anything else suffice only for some disruptions. */
export const byAge = (a: Disruption, b: Disruption): number => a.since - b.since;

/**
 * The disruptions that wait and may still come true: their nodes are there and not being removed, their scale-down is not
 * paused, and their time is not over. Names are used again: a node that is younger than the disruption is another one.
 */
export function waitingIn(scenario: Scenario): readonly WaitingDisruption[] {
  const { state, objects, nodeGroups, options, now } = scenario;
  const { disruptions = [] } = state;
  if (disruptions.length === 0 || !options.scaleDownEnabled) {
    return [];
  }
  const named = new Set(disruptions.flatMap(({ nodes }) => nodes));
  const leaving = nodesBeingRemoved(state);
  const createdAt = new Map(
    objects.nodes
      .filter(({ name, deletedAt }) => named.has(name) && deletedAt === null)
      .map(({ name, createdAt: at }) => [name, at]),
  );
  const groupOf = new Map(
    nodeGroups.flatMap(({ name, nodes }) =>
      nodes.filter((node) => named.has(node)).map((node) => [node, name] as const),
    ),
  );
  const paused = pausedNodes(scenario, named);
  const isThere = (node: NodeName, since: EpochMs): boolean =>
    groupOf.has(node) &&
    !paused.has(node) &&
    !leaving.has(node) &&
    createdAt.has(node) &&
    (createdAt.get(node) ?? 0) <= since;
  return disruptions
    .filter(({ nodes, since, deadline }) => now <= deadline && nodes.every((node) => isThere(node, since)))
    .map((disruption) => ({
      disruption,
      groups: new Map(disruption.nodes.map((node) => [node, getExisting(groupOf, node)])),
    }));
}

/** The nodes in `of` whose scale-down is paused. */
export const pausedNodes = (scenario: Scenario, of: ReadonlySet<NodeName>): ReadonlySet<NodeName> =>
  new Set(
    scenario.nodeGroups.flatMap((group) =>
      readable(
        () => (pauseOf('ScaleDown', group, scenario) === null ? [] : group.nodes.filter((node) => of.has(node))),
        [] as NodeName[],
      ),
    ),
  );

/**
 * The scenario in which the nodes of these disruptions, and no other disruptions' nodes, are being removed: the nodes take no
 * pods, and their pods are planned for as pending. `withoutWaiting` takes these removals back.
 */
export function withWaiting(scenario: Scenario, waiting: readonly WaitingDisruption[]): Scenario {
  const { state } = scenario;
  if (state.disruptions === undefined) {
    return scenario;
  }
  const disruptions = waiting.map(({ disruption }) => disruption);
  const deletions = [...state.deletionsInProgress, ...waiting.flatMap(deletionsOf)];
  const deletionsInProgress = sortedBy(deletions, STATE_ORDER.deletionsInProgress);
  return { ...scenario, state: { ...state, disruptions, deletionsInProgress } };
}

const deletionsOf = ({ disruption, groups }: WaitingDisruption): readonly DeletionInProgress[] =>
  disruption.nodes.map((node) => ({ node, group: getExisting(groups, node), kind: 'drain', since: disruption.since }));

/** The state with the disruptions that were stored, and without the removals that `withWaiting` has begun. */
export function withoutWaiting(
  state: State,
  waiting: readonly WaitingDisruption[],
  stored: State['disruptions'],
): State {
  const { disruptions, ...rest } = state;
  const nodes = new Set(waiting.flatMap(({ disruption }) => disruption.nodes));
  if (disruptions === undefined && nodes.size === 0) {
    return state;
  }
  return withoutDeletions({ ...rest, ...present({ disruptions: stored }) }, nodes);
}
