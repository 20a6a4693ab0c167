import { expendableAmong, withoutExpendable } from '../../model/cluster/expendable.ts';
import type { GroupName, NodeName } from '../../model/values/names.ts';
import type { Node } from '../../model/cluster/node.ts';
import type { Options } from '../../model/options.ts';
import type { Pod } from '../../model/cluster/pod.ts';
import type { Scenario } from '../../model/scenario.ts';
import { sortedPods } from '../../model/cluster/sorted-objects.ts';
import type { TimeLimit } from '../../model/time-limit.ts';
import { unboundPods } from '../../model/cluster/unbound-pods.ts';
import type { Registry } from '../../registry/registry.ts';
import { clusterSnapshot } from '../../scheduling/cluster-snapshot.ts';
import { pluginsWhereLeaving } from '../../scheduling/leaving-nodes.ts';
import { createScheduler } from '../../scheduling/scheduler.ts';
import type { SimulatedCluster } from '../../scheduling/simulated-cluster.ts';
import { type Demand, demandRows } from '../../estimator/demand.ts';
import { followedPods } from '../../nodegroups/daemon-pods.ts';
import { daemonsOnNewNodes } from '../../nodegroups/daemon-room.ts';
import { type GroupTemplate, groupTemplates } from '../../nodegroups/node-templates.ts';
import { growingGroups } from '../../nodegroups/skip-reason.ts';
import { addUpcomingNodes } from '../../nodegroups/upcoming.ts';
import { createQuotaLedger } from '../../headroom/quota-ledger.ts';
import { createNamespaceHeadroom, headroomIn, type HeadroomRequest } from '../../headroom/virtual-pods.ts';
import { type OpenRequest, openRequests } from '../../headroom/requests/requests.ts';
import { isAwaitingPods, withoutAwaitingPodsTaint } from '../../placement/nodes-awaiting-pods.ts';
import { isPending, waitOf } from '../../model/pod-wait.ts';
import { type PodsWithoutNode, pendingPods } from './pending.ts';
import { missingReplicas } from './missing-replicas.ts';
import { recreated } from './recreated.ts';

/** The cluster with its upcoming nodes, and the pods that are still to be placed. */
export interface Simulation extends SimulatedCluster {
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  /** Number of upcoming nodes of each group that has any. */
  readonly upcoming: Readonly<Record<GroupName, number>>;
  readonly pending: PodsWithoutNode;
  /**
   * The pods that want a node: pending pods, then pods that their controllers are about to create again, then virtual
   * pods.
   */
  readonly demands: readonly Demand[];
  /** The owners of held capacity, and controllers that are about to create pods: their virtual pods are the last of the demands. */
  readonly wanted: readonly HeadroomRequest[];
  /** ProvisioningRequests that are to be answered, or have room that is held; their pods are none of the demands. */
  readonly requests: readonly OpenRequest[];
  /** Existing nodes that take pods: neither upcoming nor still starting. */
  readonly ready: ReadonlySet<NodeName>;
}

/**
 * The cluster that a scale-up is decided for.
 *
 * @param limit of the evaluation's time.
 * @param scaleUpOnly nothing but the scale-up is decided from it: while no pod is without a node, pods on nodes say nothing
 *   about it and are left out.
 */
export function simulate(scenario: Scenario, registry: Registry, scaleUpOnly: boolean, limit: TimeLimit): Simulation {
  const { options } = scenario;
  const { objects, drained, evicted, leaving } = recreated(scenario);
  const waiting = unboundPods(objects.pods);
  const unbound = drained.length === 0 ? waiting : sortedPods([...waiting, ...drained]);
  const expected = groupTemplates(scenario);
  const quotas = createQuotaLedger(objects.resourceQuotas);
  const headroom = createNamespaceHeadroom(options.maxHeadroomPerNamespace);
  const requests = openRequests(scenario, quotas, headroom);
  const wanted = [
    ...headroomIn(scenario, quotas, headroom),
    ...missingReplicas(scenario, [...objects.pods, ...drained, ...evicted], quotas),
  ];
  const virtual = wanted
    .flatMap(({ pod, count }) => Array.from({ length: count }, () => pod))
    .filter((pod) => pod !== null);
  const sets = requests
    .map(({ step }) => step)
    .filter((step) => 'sets' in step)
    .flatMap((step) => step.sets);
  const requested = sets.map(({ pod }) => pod);
  const others = [...wanted.map(({ pod }) => pod).filter((pod) => pod !== null), ...requested];
  const isQuiet =
    scaleUpOnly && unbound.length === 0 && evicted.length === 0 && virtual.length === 0 && requested.length === 0;
  const groups = groupsOfNodes(scenario);
  const placed = {
    ...objects,
    nodes: withUngroupedOpened(objects.nodes, groups, options),
    pods: isQuiet ? [] : withoutExpendable(objects.pods, options),
  };
  const snapshot = clusterSnapshot(
    placed,
    [...[...expected.values()].flatMap(({ daemons }) => followedPods(daemons)), ...drained, ...evicted, ...others],
    {
      groups,
      unneededSince: scenario.state.unneededSince,
      expendable: isQuiet ? [] : expendableAmong(objects.pods, options),
    },
  );
  const usual = createScheduler(snapshot, objects, pluginsWhereLeaving(leaving), limit);
  const simulated = new Set(others);
  const { templates, scheduler } = isQuiet
    ? { templates: expected, scheduler: usual }
    : daemonsOnNewNodes(
        {
          pods: [...unbound, ...evicted, ...others],
          wants: (pod) => simulated.has(pod) || wants(pod, scenario),
          growing: growingGroups(scenario.nodeGroups, registry.groups, expected),
        },
        expected,
        { snapshot, scheduler: usual },
      );
  const upcoming = addUpcomingNodes(snapshot, scenario, registry, templates);
  const pending = pendingPods(unbound, snapshot, scenario);
  const kinds = virtual.map((pod) => snapshot.kindOf(pod));
  const demands = demandRows(pending, pendingPods(evicted, snapshot, scenario), { pods: virtual, kinds });
  return {
    snapshot,
    scheduler,
    objects: placed,
    templates,
    upcoming,
    pending,
    demands,
    wanted,
    requests,
    ready: readyNodes(scenario, registry),
  };
}

/**
 * A node of no group that is held for its pods is released by this evaluation, without nominations: it is room like any other. One
 * of a group is upcoming until then. The very same list where there is none, as is the rule.
 */
function withUngroupedOpened(
  nodes: readonly Node[],
  groups: ReadonlyMap<NodeName, GroupName>,
  options: Options,
): readonly Node[] {
  const opens = (node: Node): boolean => isAwaitingPods(node, options) && !groups.has(node.name);
  if (!nodes.some(opens)) {
    return nodes;
  }
  return nodes.map((node) => (opens(node) ? withoutAwaitingPodsTaint(node) : node));
}

/** The cluster as it is, without anything of a scale-up: for a scale-down when that has failed. */
export function simulatedCluster(scenario: Scenario): SimulatedCluster {
  const { objects } = recreated(scenario);
  const { options, state } = scenario;
  const placed = { ...objects, pods: withoutExpendable(objects.pods, options) };
  const expendable = expendableAmong(objects.pods, options);
  const snapshot = clusterSnapshot(placed, [], {
    groups: groupsOfNodes(scenario),
    unneededSince: state.unneededSince,
    expendable,
  });
  return { snapshot, scheduler: createScheduler(snapshot, objects), objects: placed };
}

/** May a scale-up be for this pod? The same answer as from `pendingPods`, before there is a snapshot. */
const wants = (pod: Pod, { options, now }: Scenario): boolean =>
  isPending(pod, options) && waitOf(pod, options, now).kind === 'wants';

const groupsOfNodes = ({ nodeGroups }: Scenario): ReadonlyMap<NodeName, GroupName> =>
  new Map(nodeGroups.flatMap(({ name, nodes }) => nodes.map((node) => [node, name] as const)));

/** Existing nodes that take pods: neither upcoming nor still starting. */
function readyNodes({ objects }: Scenario, { groups }: Registry): ReadonlySet<NodeName> {
  const starting = new Set([...groups.values()].flatMap(({ starting: names }) => names));
  return new Set(objects.nodes.map(({ name }) => name)).difference(starting);
}
