import { isDaemon, isFinished } from '../../core/model/cluster/pod.ts';
import { isBeingRemoved } from '../../core/model/cluster/removal-taints.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import { isSimulatedNodeReady } from '../../simulation/cluster/node-readiness.ts';
import type { Stage } from './invariants/invariant.ts';
import { isOf } from './pools.ts';
import { members, takesMarkedFirst } from './truth.ts';
import { isWholeGroup } from './whole-groups.ts';

/**
 * Ready nodes without pods, DaemonSets' excepted, of groups that have more than their minimum. A pool with pending pods has none:
 * kube-scheduler may bind one of them a moment later. Budgets, minimums of the cluster and unready nodes may hold nodes for good.
 */
export function emptyNodes({ scenario, world }: Pick<Stage, 'scenario' | 'world'>): readonly NodeName[] {
  const { drawn, options, pools } = scenario;
  const { api, scaling } = world;
  const pods = [...api.pods.values()].filter((pod) => !isDaemon(pod) && !isFinished(pod));
  const used = new Set(pods.map(({ nodeName }) => nodeName));
  const isUnready = [...api.nodes.values()].some((node) => !isSimulatedNodeReady(node));
  if (!options.scaleDownEnabled || drawn.includes('disruptionBudgets') || options.coresTotal.min > 0 || isUnready) {
    return [];
  }
  return scaling.groups().flatMap((view) => {
    const { group, desired } = view;
    const pool = pools.find(({ groups }) => groups.includes(group.name));
    const there = members(view);
    const mayShrink =
      pool !== undefined &&
      Math.min(desired, there.filter(({ node }) => node !== null).length) > group.minSize &&
      !pods.some((pod) => pod.nodeName === null && isOf(pool, pod)) &&
      !isWholeGroup(group) &&
      takesMarkedFirst(view, world) &&
      group.options.disruptionBudgets === undefined;
    return mayShrink
      ? there.flatMap(({ node: name }) => {
          const node = name === null ? undefined : api.nodes.get(name);
          const isEmpty = node !== undefined && !used.has(node.name) && !isBeingRemoved(node) && !node.unschedulable;
          return isEmpty ? node.name : [];
        })
      : [];
  });
}
