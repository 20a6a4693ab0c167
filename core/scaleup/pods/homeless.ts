import type { NodeName, PodKey } from '../../model/values/names.ts';
import { keyOf } from '../../model/cluster/pod.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';
import type { Registry } from '../../registry/registry.ts';

/**
 * The pods that want a node, and for which there may be no place on one of these nodes: of a kind of which not all have a place
 * there, all of them, as pods of one kind are not told apart.
 *
 * @param left what has found no place at all, whether nodes are bought for it or not
 */
export function homelessAmong(
  demands: readonly Demand[],
  placements: readonly Placement[],
  left: readonly Demand[],
  ready: ReadonlySet<NodeName>,
): ReadonlySet<PodKey> {
  const kinds = new Set([
    ...left.map(({ kind }) => kind),
    ...placements.flatMap(({ kind, info }) => (ready.has(info.name) ? [] : kind)),
  ]);
  return new Set(demands.flatMap(({ kind, pods }) => (kinds.has(kind) ? pods.map(keyOf) : [])));
}

/** Nodes that are there and take pods: not those that are on their way, or still starting. */
export function readyNodes({ objects }: Scenario, { groups }: Registry): ReadonlySet<NodeName> {
  const starting = new Set([...groups.values()].flatMap(({ starting: names }) => names));
  return new Set(objects.nodes.flatMap(({ name }) => (starting.has(name) ? [] : name)));
}
