import { daemonSetsAmong } from '@outrigger/core/model/cluster/controller-lists.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { podRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { Controller } from '@outrigger/core/model/cluster/workloads.ts';
import { firstItem, getExisting } from '@outrigger/core/model/values/existing.ts';
import type { GroupName, NodeName } from '@outrigger/core/model/values/names.ts';
import { addResources, NO_RESOURCES, PODS, type Resources } from '@outrigger/core/model/values/resources.ts';
import { daemonsOf, followedPods } from '@outrigger/core/nodegroups/daemon-pods.ts';
import { type SimulatedScalingGroup, simulatedNode } from '../cloud/scaling-group.ts';

/** An instance type in a zone, which Karpenter may launch: a simulated group stands for it. */
export interface InstanceOffering {
  readonly group: GroupName;
  readonly instanceType: string;
  readonly zone: string;
  /** USD per hour. */
  readonly price: number;
  /** The NodePool. */
  readonly pool: string;
  /** A node of it. */
  readonly nodeNamed: (name: NodeName) => Node;
  readonly allocatable: Resources;
}

/**
 * The offerings that groups stand for, in the order of their prices. Such groups have one zone and a price.
 *
 * @param pools the NodePool of each group; other groups are none of Karpenter's.
 */
export const offeringsOf = (
  groups: readonly SimulatedScalingGroup[],
  pools: ReadonlyMap<GroupName, string>,
): readonly InstanceOffering[] =>
  groups
    .filter(({ name }) => pools.has(name))
    .map((group): InstanceOffering => {
      const zone = firstItem(group.zones);
      return {
        group: group.name,
        instanceType: group.instanceType,
        zone,
        price: group.price ?? 0,
        pool: getExisting(pools, group.name),
        nodeNamed: (name) => simulatedNode(group, zone, name, null),
        allocatable: group.allocatable,
      };
    })
    .toSorted((a, b) => a.price - b.price);

/** The pods of DaemonSets that come with a new node. */
export const daemonPodsOn = (node: Node, controllers: readonly Controller[]): readonly Pod[] =>
  followedPods(daemonsOf(node, [], daemonSetsAmong(controllers)));

/** Whether pods with these requests in all fit on a node beside its daemons. */
export function hasRoomFor(offering: InstanceOffering, requests: Resources, pods: number): boolean {
  const { allocatable } = offering;
  return (
    pods <= (allocatable[PODS] ?? 0) &&
    Object.entries(requests).every(([name, amount]) => name === PODS || amount <= (allocatable[name] ?? 0))
  );
}

export const requestsOf = (pods: readonly Pod[]): Resources =>
  pods.reduce((sum, pod) => addResources(sum, podRequests(pod)), NO_RESOURCES);
