import type { NodeName } from '../../core/model/values/names.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import { gpusIn } from '../../core/model/cluster/gpu.ts';
import type { Options } from '../../core/model/options.ts';
import { CPU } from '../../core/model/values/resources.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import { withoutExpendable } from '../../core/model/cluster/expendable.ts';
import { isDaemon, isFinished, type Pod } from '../../core/model/cluster/pod.ts';
import { isBeingRemoved } from '../../core/model/cluster/removal-taints.ts';
import type { ProviderName } from '../../core/model/provider.ts';
import type { GroupView, SimulatedInstance } from '../../providers/simulated/auto-scaling.ts';
import { isNodeReady } from '../../providers/simulated/node-readiness.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import type { Stage } from './invariants/invariant.ts';
import { mayLose } from './limits.ts';
import { fits } from './packing.ts';
import { DAEMON_CPU, nodeUnits } from './node-sizes.ts';
import { isOf, type Pool } from './pools.ts';
import { placeable, withMore, zoneOfGroup, zonesWithPods } from './skewed-room.ts';
import { inTheWay, LONGEST_PATIENCE_MS, members, takenBy, unitsOf } from './truth.ts';
import { isWholeGroup } from './whole-groups.ts';

const NONE: ReadonlySet<NodeName> = new Set();

/**
 * Nodes that the cluster could do without, and that nothing keeps: used little enough, of a group that may shrink, with
 * pods that may all go at once and have places on the other nodes. In a pool with pods that wait none is.
 *
 * @param waiting nodes that wait for their replacement: what their pods have their places on is needed.
 */
export function removableNodes({ scenario, world }: Stage, waiting = NONE): readonly NodeName[] {
  const { drawn, options, pools, provider } = scenario;
  const { clock } = world;
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
      members(view).flatMap((instance) => {
        const node = instance.node === null ? undefined : api.nodes.get(instance.node);
        return node !== undefined && takesPods(node) ? [{ node, instance, view, pods: pods.get(node.name) ?? [] }] : [];
      }),
    );
    const whole = own.find(({ group }) => isWholeGroup(group));
    if (whole !== undefined) {
      return goesWhole(whole, nodes, scenario, views) ? nodes.map(({ node }) => node.name) : [];
    }
    return nodes.flatMap((one) => {
      const { group, desired } = one.view;
      const others = nodes.filter((other) => other !== one);
      const kept = members(one.view).filter((instance) => !isBeyondRepair(one.view, instance, scenario, clock.now()));
      const mayShrink = Math.min(desired, kept.length) > group.minSize;
      const roomOn = (other: Used, moving: readonly Pod[]): number => {
        const there = all.get(other.node.name) ?? [];
        // One of a higher priority may take the room that is cleared for another one.
        const isContested = new Set(moving.map(({ spec }) => spec.priority ?? 0)).size > 1;
        const inWay = isContested ? there : inTheWay(there, moving, options, pool);
        return nodeUnits(pool, other.view.group) - inWay.reduce((sum, pod) => sum + takenBy(pod), 0);
      };
      const isWaitedFor = (): boolean => {
        const moving = others.flatMap((other) => (waiting.has(other.node.name) ? other.pods : []));
        const staying = others.filter((other) => !waiting.has(other.node.name));
        const more = [...moving, ...one.pods];
        return (
          moving.length > 0 &&
          fits(
            moving.map(unitsOf),
            [...staying, one].map((other) => roomOn(other, moving)),
          ) &&
          !fits(
            more.map(unitsOf),
            staying.map((other) => roomOn(other, more)),
          )
        );
      };
      return mayShrink &&
        isTakenFirst(one.view, one.instance, provider) &&
        isLittleUsed(one.pods, nodeUnits(pool, group), group, options) &&
        mayLose(group, views, options) &&
        mayGo(one.pods, world, options) &&
        fits(
          one.pods.map(unitsOf),
          others.map((other) => roomOn(other, one.pods)),
        ) &&
        haveZones(one, others, pool, { pools, api }) &&
        (waiting.has(one.node.name) || !isWaitedFor())
        ? [one.node.name]
        : [];
    });
  });
}

/**
 * A group that is all or nothing is not needed when none of its nodes is: no other ones take its pods. With a minimum, which
 * another client may have set, it has to keep some, and so all of them; and so where some would be taken in the place of others.
 */
const goesWhole = (
  view: GroupView,
  nodes: readonly Used[],
  { options, provider }: Pick<Stage['scenario'], 'options' | 'provider'>,
  views: readonly GroupView[],
): boolean =>
  view.group.minSize === 0 &&
  nodes.length === members(view).length &&
  nodes.every(({ pods, instance }) => pods.length === 0 && isTakenFirst(view, instance, provider)) &&
  mayLose(view.group, views, options, nodes.length);

interface Used {
  readonly node: Node;
  readonly instance: SimulatedInstance;
  readonly view: GroupView;
  readonly pods: readonly Pod[];
}

/** A MachineDeployment with the strategy `OnDelete` takes a smaller size from its Machines of the oldest template: others stay. */
export const isTakenFirst = (
  view: Pick<GroupView, 'instances'>,
  { version = 1 }: Pick<SimulatedInstance, 'version'>,
  provider: ProviderName,
): boolean => provider !== 'clusterapi' || view.instances.every((other) => version <= (other.version ?? 1));

/** It will not become a node, and stays, since others are taken first: to a minimum it does not count. */
export const isBeyondRepair = (
  view: Pick<GroupView, 'instances'>,
  instance: SimulatedInstance,
  { provider }: { readonly provider: ProviderName },
  now: EpochMs,
): boolean =>
  instance.node === null &&
  ((instance.failed === true && instance.isRetried !== true) || now - instance.launchedAt > LONGEST_PATIENCE_MS) &&
  !isTakenFirst(view, instance, provider);

/** Have the pods of a node places in the zones of the others, whether its own counts without it or not? */
function haveZones(
  { node, pods }: Used,
  others: readonly Used[],
  pool: Pool,
  { pools, api }: { readonly pools: readonly Pool[]; readonly api: Stage['world']['api'] },
): boolean {
  const { skew } = pool;
  if (skew === undefined) {
    return true;
  }
  const staying = [...api.pods.values()].filter((pod) => !pods.includes(pod));
  const nodes = [...api.nodes.values()];
  return [nodes, nodes.filter((other) => other !== node)].every((these) => {
    const zones = others.reduce(
      (sum, other) =>
        withMore(sum, zoneOfGroup(other.view.group), nodeUnits(pool, other.view.group) - other.pods.length),
      zonesWithPods(pools, pool, these, staying),
    );
    return placeable(zones, skew) >= pods.length;
  });
}

/** Few enough nodes are not ready for others to be removed. */
export function isHealthy(
  { api }: Stage['world'],
  { okTotalUnreadyCount, maxTotalUnreadyPercentage }: Options,
): boolean {
  const unready = [...api.nodes.values()].filter((node) => !isNodeReady(node)).length;
  return unready <= okTotalUnreadyCount || unready <= (maxTotalUnreadyPercentage / 100) * api.nodes.size;
}

/** Of a node with GPUs, one for each unit, these are what counts. */
const isLittleUsed = (pods: readonly Pod[], units: number, { allocatable }: ScalingGroup, options: Options): boolean =>
  gpusIn(allocatable) > 0
    ? pods.reduce((sum, pod) => sum + unitsOf(pod), 0) / units <= options.scaleDownGpuUtilizationThreshold
    : (pods.reduce((sum, pod) => sum + cpuOf(pod), 0) + DAEMON_CPU) / allocatable[CPU]! <=
      options.scaleDownUtilizationThreshold;

const cpuOf = ({ spec }: Pod): number => spec.containers.reduce((sum, { requests }) => sum + (requests[CPU] ?? 0), 0);

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
