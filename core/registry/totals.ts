import { about } from '../model/fault.ts';
import type { NodeCounts } from '../model/decision.ts';
import type { Node } from '../model/cluster/node.ts';
import type { Options } from '../model/options.ts';
import { isBeingRemoved } from '../model/cluster/removal-taints.ts';
import type { EpochMs } from '../model/values/time.ts';
import type { GroupCounts } from './counts.ts';
import { readinessOf } from './readiness.ts';

/** One group's numbers. */
export const nodeCountsOf = ({ nodes, registered, unregistered, longUnregistered }: GroupCounts): NodeCounts => ({
  registered,
  ready: nodes.Ready.length,
  unready: nodes.Unready.length,
  notStarted: nodes.NotStarted.length,
  unregistered: unregistered.length,
  longUnregistered: longUnregistered.length,
  deleted: nodes.Deleted.length,
  suspended: nodes.Suspended.length,
});

/**
 * All groups together, and the nodes that belong to none: of these no cloud can be asked, so they are gone once they bear
 * the taint of a removal. Follows `totalReadiness` of Cluster Autoscaler's clusterstate.go.
 */
export function totalsOf(
  groups: readonly { readonly counts: GroupCounts }[],
  ungrouped: readonly Node[],
  options: Options,
  now: EpochMs,
): NodeCounts {
  const rows = groups.map(({ counts }) => nodeCountsOf(counts));
  const classes = ungrouped.map((node) =>
    about({ kind: 'node', node: node.name }, () => readinessOf(node, isBeingRemoved(node), options, now)),
  );
  const sum = (of: keyof NodeCounts): number => {
    let all = 0;
    for (const row of rows) {
      all += row[of];
    }
    return all;
  };
  const lone = (of: (typeof classes)[number]): number => classes.filter((one) => one === of).length;
  return {
    registered: sum('registered') + ungrouped.length,
    ready: sum('ready') + lone('Ready'),
    unready: sum('unready') + lone('Unready'),
    notStarted: sum('notStarted') + lone('NotStarted'),
    unregistered: sum('unregistered'),
    longUnregistered: sum('longUnregistered'),
    deleted: sum('deleted') + lone('Deleted'),
    suspended: sum('suspended') + lone('Suspended'),
  };
}
