import { about } from '../model/fault.ts';
import type { NodeCounts } from '../model/decision.ts';
import type { Node } from '../model/cluster/node.ts';
import type { Options } from '../model/options.ts';
import { isStopped } from '../model/cluster/node-condition.ts';
import { isBeingRemoved } from '../model/cluster/removal-taints.ts';
import type { EpochMs } from '../model/values/time.ts';
import type { GroupCounts } from './counts.ts';
import { isStarting, type Readiness, readinessOf } from './readiness.ts';

/** The node counts of one group. */
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
 * the taint of a removal. Those whose instances are stopped wait in a warm pool, or were stopped on purpose: they are
 * suspended, and no sign of a cluster that is not healthy. Follows `totalReadiness` of Cluster Autoscaler's clusterstate.go.
 */
export function totalsOf(
  groups: readonly { readonly counts: GroupCounts }[],
  ungrouped: readonly Node[],
  options: Options,
  now: EpochMs,
): NodeCounts {
  const rows = groups.map(({ counts }) => nodeCountsOf(counts));
  const classes = ungrouped.map((node) =>
    about({ kind: 'node', node: node.name }, () => readinessOfLone(node, options, now)),
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

function readinessOfLone(node: Node, options: Options, now: EpochMs): Readiness {
  const starts = isStarting(node, options.maxNodeStartupTime, now);
  const readiness = readinessOf(node, { deleted: isBeingRemoved(node), equipped: true }, starts, options);
  return readiness === 'Unready' && isStopped(node) ? 'Suspended' : readiness;
}
