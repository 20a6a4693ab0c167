import type { NodeName } from '../../core/model/values/names.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import { gpusIn } from '../../core/model/cluster/gpu.ts';
import type { Options } from '../../core/model/options.ts';
import { CPU } from '../../core/model/values/resources.ts';
import { withoutExpendable } from '../../core/model/cluster/expendable.ts';
import { isDaemon, isFinished, type Pod } from '../../core/model/cluster/pod.ts';
import { isBeingRemoved } from '../../core/model/cluster/removal-taints.ts';
import { isNodeReady } from '../../providers/simulated/node-readiness.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import type { Stage } from './invariants/invariant.ts';
import { mayLose } from './limits.ts';
import { fits } from './packing.ts';
import { nodeUnits, requestOf } from './node-sizes.ts';
import { isOf } from './pools.ts';
import { inTheWay, members, takenBy, unitsOf } from './truth.ts';

/**
 * Nodes that the cluster could do without, and that nothing keeps: used little enough, of a group that may shrink, with
 * pods that may all go at once and have places on the other nodes. In a pool with pods that wait none is.
 */
export function removableNodes({ scenario, world }: Stage): readonly NodeName[] {
  const { drawn, options, pools } = scenario;
  // A budget holds nodes as long as others are away, which may be for good.
  if (drawn.includes('disruptionBudgets') || !options.scaleDownEnabled || !isHealthy(world, options)) {
    return [];
  }
  const { api, scaling } = world;
  const views = scaling.groups();
  const all = Map.groupBy(
    [...api.pods.values()].filter((pod) => !isDaemon(pod) && !isFinished(pod)),
    ({ nodeName }) => nodeName,
  );
  const pods = new Map([...all].map(([node, on]) => [node, withoutExpendable(on, options)] as const));
  return pools.flatMap((pool) => {
    if ((pods.get(null) ?? []).some((pod) => isOf(pool, pod))) {
      return [];
    }
    const own = views.filter(({ group }) => pool.groups.includes(group.name));
    // A budget of its own holds a group's nodes as the cluster's holds all, and their pods have their places on nodes of other groups.
    if (own.some(({ group }) => group.options.disruptionBudgets !== undefined)) {
      return [];
    }
    const nodes = own.flatMap((view) =>
      members(view).flatMap(({ node: name }) => {
        const node = name === null ? undefined : api.nodes.get(name);
        return node !== undefined && takesPods(node) ? [{ node, view, pods: pods.get(node.name) ?? [] }] : [];
      }),
    );
    const used = (on: readonly Pod[]): number => on.reduce((sum, pod) => sum + unitsOf(pod), 0);
    return nodes.flatMap((one) => {
      const { group, desired } = one.view;
      const others = nodes.filter((other) => other !== one);
      const mayShrink = Math.min(desired, members(one.view).length) > group.minSize;
      const room = others.map((other) => {
        const inWay = inTheWay(all.get(other.node.name) ?? [], one.pods, options);
        return nodeUnits(pool, other.view.group) - inWay.reduce((sum, pod) => sum + takenBy(pod), 0);
      });
      return mayShrink &&
        isLittleUsed(used(one.pods), nodeUnits(pool, group), group, options) &&
        mayLose(group, views, options) &&
        mayGo(one.pods, world, options) &&
        fits(one.pods.map(unitsOf), room)
        ? [one.node.name]
        : [];
    });
  });
}

/** Few enough nodes are not ready for others to be removed. */
function isHealthy({ api }: Stage['world'], { okTotalUnreadyCount, maxTotalUnreadyPercentage }: Options): boolean {
  const unready = [...api.nodes.values()].filter((node) => !isNodeReady(node)).length;
  return unready <= okTotalUnreadyCount || unready <= (maxTotalUnreadyPercentage / 100) * api.nodes.size;
}

/** Of a node with GPUs, one for each unit, these are what counts. */
const isLittleUsed = (used: number, units: number, { allocatable }: ScalingGroup, options: Options): boolean =>
  gpusIn(allocatable) > 0
    ? used / units <= options.scaleDownGpuUtilizationThreshold
    : requestOf(used) / allocatable[CPU]! <= options.scaleDownUtilizationThreshold;

const takesPods = (node: Node): boolean => isNodeReady(node) && !isBeingRemoved(node) && !node.unschedulable;

/** Nothing keeps any of these pods, and their budgets let them all go at once. */
function mayGo(
  pods: readonly Pod[],
  { api, controllers }: Stage['world'],
  { skipNodesWithSystemPods }: Options,
): boolean {
  const budgets = api.objects().podDisruptionBudgets;
  return pods.every((pod) => {
    const budget = budgets.find(({ name }) => `${pod.namespace}/${name}` === controllers.workloadOf(pod));
    const together = pods.filter((other) => other.controller?.uid === pod.controller?.uid).length;
    return (
      pod.ready &&
      pod.controller !== null &&
      // They keep their node for a while.
      !(pod.namespace === 'kube-system' && skipNodesWithSystemPods) &&
      controllers.workload(controllers.workloadOf(pod))?.secondBudget !== true &&
      pod.deletedAt === null &&
      Object.keys(pod.annotations).length === 0 &&
      pod.spec.tolerations.length === 0 &&
      (budget === undefined || budget.disruptionsAllowed >= together)
    );
  });
}
