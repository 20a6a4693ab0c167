import type { Node } from '../../model/cluster/node.ts';
import { isLeaving } from '../../model/cluster/node-condition.ts';
import { endingNodes, type NodeGroup } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import { nodesBeingRemoved } from '../../model/state.ts';
import type { NodeName } from '../../model/values/names.ts';
import { isReady } from '../../registry/readiness.ts';
import type { Registry } from '../../registry/registry.ts';

/** The nodes of a node group, or of all of them, as disruption budgets count them. */
interface CountedNodes {
  readonly total: number;
  /** The names of nodes that are not ready, leaving, or about to be replaced. */
  readonly away: ReadonlySet<NodeName>;
}

/**
 * How disruption budgets count the nodes of each group: without starting nodes, which would allow more removals for the
 * replacements of earlier ones, and without nodes whose instances end, which are gone. Follows
 * `BuildDisruptionBudgetMapping` of Karpenter's disruption/helpers.go.
 *
 * @param waiting nodes that are removed as soon as their pods have places.
 */
export function awayCounter(
  { objects, options, state }: Scenario,
  registry: Registry,
  waiting: ReadonlySet<NodeName>,
): (group: NodeGroup) => CountedNodes {
  const nodes = new Map<NodeName, Node>(objects.nodes.map((node) => [node.name, node]));
  const leaving = nodesBeingRemoved(state).union(waiting);
  return (group) => {
    const left = new Set([
      // A starting node that is about to be replaced has been ready, and is not awaited.
      ...(registry.groups.get(group.name)?.starting ?? []).filter((name) => !leaving.has(name)),
      ...endingNodes(group),
    ]);
    const counted = group.nodes.filter((name) => !left.has(name)).flatMap((name) => nodes.get(name) ?? []);
    const away = counted.filter((node) => leaving.has(node.name) || isLeaving(node) || !isReady(node, options));
    return { total: counted.length, away: new Set(away.map(({ name }) => name)) };
  };
}
