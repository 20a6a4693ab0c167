import type { ClusterObjects, Scenario } from '../model/scenario.ts';
import type { NodeName } from '../model/values/names.ts';

/**
 * Nodes that still exist though their instances have been terminated: pods on such nodes end with the instances. A Node
 * that was created since only has the name of one that is gone.
 */
export function endedNodes(
  { nodes }: Pick<ClusterObjects, 'nodes'>,
  { scaleDownRequests, deletionsInProgress }: Pick<Scenario['state'], 'scaleDownRequests' | 'deletionsInProgress'>,
): ReadonlySet<NodeName> {
  const underWay = new Set(deletionsInProgress.map(({ node }) => node));
  const times = new Map(scaleDownRequests.flatMap(({ node, time }) => (underWay.has(node) ? [] : [[node, time]])));
  return new Set(
    nodes.flatMap(({ name, createdAt }) => {
      const time = times.get(name);
      return time === undefined || createdAt === null || createdAt >= time ? [] : name;
    }),
  );
}
