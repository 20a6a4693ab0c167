import type { ClusterRecord } from '@outrigger/core/explanation/cluster-record.ts';
import type { NodeUtilization } from '@outrigger/core/model/decision.ts';
import type { NodeName } from '@outrigger/core/model/values/names.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import { whyNodeStaysInFull } from '@outrigger/core/words/why-node-stays.ts';
import { addedNode, type Picture, type PictureNode } from './picture.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/**
 * The picture of the last decisions of a cluster, from stored decisions: the nodes of each group, and the reason of each node. The
 * pods of nodes are not stored, but the requested share of unneeded nodes is; `null` if no decision has the nodes. Pending pods are
 * left out: the widget lists them.
 */
export function pictureOfRecord(record: ClusterRecord): Picture | null {
  const { scaleDown, scaleUp } = record;
  if (scaleDown?.nodeGroups === undefined) {
    return null;
  }
  const { removals, unneeded, unremovable, utilization = {} } = scaleDown.scaleDown;
  const [removed, idle] = [new Set(removals.map(({ node }) => node)), new Set(unneeded)];
  const stays = new Map(unremovable.map((one) => [one.node, one]));
  const nodeOf = (name: NodeName): PictureNode => {
    const kept = stays.get(name);
    const share = usedShare(valueOf(utilization, name));
    const stayed = mapOptional(kept, whyNodeStaysInFull) ?? '';
    const isRemoved = removed.has(name);
    const isUnneeded = idle.has(name) ? 'unneeded' : 'unfilled';
    return {
      name,
      state: isRemoved ? 'leaving' : isUnneeded,
      when: isRemoved ? 'before' : 'both',
      pods: share === 0 ? [] : [{ name: 'requested by pods', share, when: 'both', note: '' }],
      note: isRemoved ? 'removed' : stayed,
    };
  };
  const grown = new Map((scaleUp?.scaleUp.increases ?? []).map(({ group, from, to }) => [group as string, to - from]));
  const addedTo = (group: string): readonly PictureNode[] =>
    Array.from({ length: grown.get(group) ?? 0 }, (_, i) => addedNode(group, i, [], 'added by the last scale-up'));
  return {
    groups: Object.entries(scaleDown.nodeGroups).map(([name, { nodes = [] }]) => ({
      name,
      nodes: [...nodes.map(nodeOf), ...addedTo(name)],
    })),
    pending: [],
  };
}

const usedShare = (used: NodeUtilization | undefined): number =>
  Math.round(100 * (used?.gpu ?? Math.max(used?.cpu ?? 0, used?.memory ?? 0)));
