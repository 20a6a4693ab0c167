import { INSTANCE_TYPE_LABEL, isFromTemplate, type Node } from '../model/cluster/node.ts';
import type { CsiNode } from '../model/cluster/storage.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import type { VolumeIndex } from './volumes.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';

/**
 * The expected CSINode of a planned or upcoming node, from the existing nodes: of its instance type, on which the
 * limits of EBS depend, else of its group. Without such a node its limits are unknown, and kube-scheduler has none where
 * there is no CSINode. Cluster Autoscaler does the same with `--enable-csi-node-aware-scheduling`, for the group alone.
 *
 * @returns `undefined` for an existing node without a CSINode, as kube-scheduler has it.
 */
export function expectedCsiNodes(
  snapshot: Snapshot,
  { csiNodes }: Pick<VolumeIndex, 'csiNodes'>,
): (info: NodeInfo) => CsiNode | undefined {
  let known: ReadonlyMap<string, CsiNode> | null = null;
  return (info) => {
    if (csiNodes.size === 0 || !isFromTemplate(info.node)) {
      return undefined;
    }
    const most = (known ??= mostOfAlike(snapshot, csiNodes));
    return likenessesOf(info)
      .map((likeness) => most.get(likeness))
      .find((one) => one !== undefined);
  };
}

/** Keys that nodes with the same limits share, the surest first. */
const likenessesOf = ({ node, group }: { readonly node: Node; readonly group: string | null }): readonly string[] =>
  presentItems([
    mapOptional(node.labels[INSTANCE_TYPE_LABEL], (type) => `type ${type}`),
    mapOptional(group, (name) => `group ${name}`),
  ]);

/**
 * For each key, the largest limit of each driver, as a fresh node has it: the count of a node falls with every network
 * interface that is attached (`MutableCSINodeAllocatableCount`), and one worn node says nothing of new ones.
 */
function mostOfAlike(snapshot: Snapshot, csiNodes: VolumeIndex['csiNodes']): ReadonlyMap<string, CsiNode> {
  const most = new Map<string, CsiNode>();
  for (const info of presentItems(snapshot.nodes)) {
    const own = csiNodes.get(info.name);
    if (own !== undefined) {
      for (const likeness of likenessesOf(info)) {
        const other = most.get(likeness);
        most.set(likeness, other === undefined ? own : { ...other, drivers: together(other.drivers, own.drivers) });
      }
    }
  }
  return most;
}

type Drivers = CsiNode['drivers'];

function together(some: Drivers, others: Drivers): Drivers {
  const drivers = new Map(some.map((one) => [one.name, one]));
  for (const other of others) {
    const one = drivers.get(other.name) ?? other;
    const isMore = one.count === null || (other.count !== null && other.count > one.count);
    drivers.set(other.name, isMore ? other : one);
  }
  return [...drivers.values()];
}
