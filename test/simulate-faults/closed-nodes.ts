import type { Node } from '../../core/model/cluster/node.ts';
import { isBeingRemoved } from '../../core/model/cluster/removal-taints.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import { isNodeReady } from '../../providers/simulated/node-readiness.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';

/** Nodes that were ready once, and are not. */
export function watchUnready({ api }: Pick<SimulatedWorld, 'api'>): ReadonlySet<NodeName> {
  const unready = new Set<NodeName>();
  api.watch({
    node: (node, before) => {
      if (isNodeReady(node)) {
        unready.delete(node.name);
      } else if (before !== null && isNodeReady(before)) {
        unready.add(node.name);
      }
    },
  });
  return unready;
}

/** What is known of them. */
interface Known {
  readonly objects: Pick<Scenario['objects'], 'nodes' | 'closedNodes'>;
  readonly state: Pick<Scenario['state'], 'deletionsInProgress'>;
}

/** Nodes that take no more pods, whatever room they have: those that leave, by the state or in truth, among them. */
export const closedNodes = (
  { objects, state }: Known,
  leaving: ReadonlySet<NodeName>,
  unready: ReadonlySet<NodeName>,
  { api }: Pick<SimulatedWorld, 'api'>,
): ReadonlySet<NodeName> =>
  new Set([
    ...leaving,
    ...state.deletionsInProgress.map(({ node }) => node),
    ...objects.closedNodes.map(({ node }) => node),
    ...[...objects.nodes, ...api.nodes.values()].filter(takesNone).map(({ name }) => name),
    ...unready,
  ]);

const takesNone = (node: Node): boolean => isBeingRemoved(node) || node.unschedulable;
