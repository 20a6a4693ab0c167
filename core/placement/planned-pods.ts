import type { Demand } from '../estimator/demand.ts';
import type { Placement } from '../estimator/placing.ts';
import type { Pod } from '../model/cluster/pod.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import type { GroupName, NodeName } from '../model/values/names.ts';
import type { GroupTemplate } from '../nodegroups/node-templates.ts';
import type { SimulatedCluster } from '../scheduling/simulated-cluster.ts';

/** The cluster with every pod at the place that the plan has for it. */
export interface PlannedCluster extends SimulatedCluster {
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  readonly demands: readonly Demand[];
  /** The places of the demands' pods, in the order in which they were found. */
  readonly placements: readonly Placement[];
  /** Capacity that is held for ProvisioningRequests; its pods are none of the demands. */
  readonly booked: readonly Placement[];
}

/** The pods that have their place on these nodes: without pods that move from other nodes, and without virtual pods. */
export function podsByNode(
  cluster: PlannedCluster,
  nodes: ReadonlySet<NodeName>,
): ReadonlyMap<NodeName, readonly Pod[]> {
  const waiting = new Map(
    pendingDemands(cluster).map(({ kind, pods }): [PodKind, { readonly pods: readonly Pod[]; next: number }] => [
      kind,
      { pods, next: 0 },
    ]),
  );
  const planned = new Map<NodeName, Pod[]>();
  for (const { kind, info, count } of cluster.placements) {
    const of = waiting.get(kind);
    if (of === undefined) {
      continue;
    }
    const pods = of.pods.slice(of.next, of.next + count);
    of.next += count;
    if (nodes.has(info.name)) {
      getOrMake(planned, info.name, () => []).push(...pods);
    }
  }
  return planned;
}

/** The pods of the demands that are pending: other pods of the demands still run, do not exist yet, or are virtual. */
export function pendingDemands({ objects, demands }: Pick<PlannedCluster, 'objects' | 'demands'>): readonly Demand[] {
  const there = new Set(objects.pods);
  return demands.map(({ kind, pods }) => ({
    kind,
    pods: pods.filter((pod) => pod.nodeName === null && there.has(pod)),
  }));
}
