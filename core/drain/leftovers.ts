import { byName, type NodeName } from '../model/values/names.ts';
import { type Node, TO_BE_DELETED_TAINT } from '../model/cluster/node.ts';
import { changedNode, NO_CHANGE, type NodeChange } from '../model/cluster/node-change.ts';
import type { Options } from '../model/options.ts';
import { hasEnded, type StoredDrain } from '../model/drain.ts';
import { type Intent, pendingRemovals } from '../model/intent.ts';
import { endingNodes } from '../model/node-group.ts';
import { isRemovalTaint, removalSince } from '../model/cluster/removal-taints.ts';
import type { Scenario } from '../model/scenario.ts';
import { nodesBeingRemoved } from '../model/state.ts';
import { addTime, type DurationMs, durationMs } from '../model/values/time.ts';
import { DELETION_TIME } from '../scaledown/removal-state.ts';
import { longestEvictions } from './limits.ts';
import { REMOVAL_ANNOTATION } from './removal-markers.ts';

/** The largest number of nodes that are freed before one evaluation. */
export const MOST_FREED = 10;

/** The taint that Kubernetes puts on a cordoned node, and takes off soon after the cordon is gone. */
const CORDON_TAINT = 'node.kubernetes.io/unschedulable';

/**
 * Nodes that a Cluster Autoscaler marked for removal which has not happened: it died, or was replaced, in the middle. The
 * taint says when it was put on, and is older than the longest removal by these options. Only nodes of node groups are
 * considered, as Cluster Autoscaler does when it starts, and none that is on its way out by any other sign.
 *
 * @param drained nodes of drains that are known.
 * @returns by name.
 */
export function leftoversOf(
  { objects, nodeGroups, state, options, now }: Scenario,
  drained: ReadonlySet<NodeName>,
): readonly Node[] {
  const groups = nodeGroups.filter(({ invalid }) => invalid === null);
  const ours = new Set(groups.flatMap(({ nodes }) => nodes));
  const leaving = new Set<NodeName>([...drained, ...nodesBeingRemoved(state), ...groups.flatMap(endingNodes)]);
  const limit = longestRemoval(options);
  return objects.nodes
    .filter((node) => {
      const marks = node.taints.filter(isRemovalTaint);
      return (
        marks.length > 0 &&
        ours.has(node.name) &&
        !leaving.has(node.name) &&
        node.deletedAt === null &&
        !(REMOVAL_ANNOTATION in node.annotations) &&
        marks.every((taint) => {
          const since = removalSince(taint);
          return since !== null && addTime(since, limit) < now;
        })
      );
    })
    .toSorted((a, b) => byName(a.name, b.name));
}

/** Nodes of drains that are known, and of those that are still to be started. A node that was freed again is none. */
export const drainedNodes = (drains: readonly StoredDrain[], intents: readonly Intent[]): ReadonlySet<NodeName> =>
  new Set([
    ...drains
      .map(({ drain }) => drain)
      .filter((drain) => !hasEnded(drain) || drain.outcome?.kind !== 'rolledBack')
      .map(({ node }) => node),
    ...pendingRemovals(intents).flatMap(({ nodes }) => nodes.map(({ node }) => node)),
  ]);

/**
 * The change that frees such a node. Cluster Autoscaler leaves no sign of whether it cordoned the node; like it, the
 * cordon is taken for a part of the removal where `cordonNodeBeforeTerminating` is on.
 */
export const freeing = ({ unschedulable }: Node, { cordonNodeBeforeTerminating }: Options): NodeChange => ({
  ...NO_CHANGE,
  removeTaints: [{ key: TO_BE_DELETED_TAINT, effect: null }],
  unschedulable: unschedulable && cordonNodeBeforeTerminating ? false : null,
});

/** The scenario as it is once these nodes have been freed, and Kubernetes has seen that they are not cordoned. */
export function withFreed(scenario: Scenario, nodes: readonly Node[]): Scenario {
  if (nodes.length === 0) {
    return scenario;
  }
  const freed = new Set(nodes.map(({ name }) => name));
  const free = (node: Node): Node => {
    const change = freeing(node, scenario.options);
    const cordon = change.unschedulable === false ? [{ key: CORDON_TAINT, effect: null }] : [];
    return changedNode(node, { ...change, removeTaints: [...change.removeTaints, ...cordon] });
  };
  const { objects } = scenario;
  return {
    ...scenario,
    objects: { ...objects, nodes: objects.nodes.map((node) => (freed.has(node.name) ? free(node) : node)) },
  };
}

/** The scenario without the marks of a dead Cluster Autoscaler, as the functions remove them before an evaluation. */
export const withoutLeftovers = (scenario: Scenario): Scenario =>
  withFreed(scenario, leftoversOf(scenario, new Set()).slice(0, MOST_FREED));

/** From the taint to the moment when the instance is gone, by Cluster Autoscaler's own limits. */
const longestRemoval = (options: Options): DurationMs =>
  durationMs(
    longestEvictions(options, 1, 0) +
      options.nodeDeleteDelayAfterTaint +
      options.nodeDeletionDelayTimeout +
      DELETION_TIME,
  );
