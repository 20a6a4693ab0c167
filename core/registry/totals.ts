import { about } from '../model/fault.ts';
import { NO_NODES, type NodeCounts } from '../model/decision.ts';
import type { Node } from '../model/cluster/node.ts';
import type { Options } from '../model/options.ts';
import { isStopped } from '../model/cluster/node-condition.ts';
import { isBeingRemoved } from '../model/cluster/removal-taints.ts';
import { entriesOf } from '../model/values/records.ts';
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
  const totals: Record<keyof NodeCounts, number> = { ...NO_NODES };
  for (const { counts } of groups) {
    for (const [name, count] of entriesOf(nodeCountsOf(counts))) {
      totals[name] += count;
    }
  }
  for (const node of ungrouped) {
    const readiness = about({ kind: 'node', node: node.name }, () => readinessOfLone(node, options, now));
    totals.registered += 1;
    totals[COUNT_OF[readiness]] += 1;
  }
  return totals;
}

const COUNT_OF: Readonly<Record<Readiness, keyof NodeCounts>> = {
  Deleted: 'deleted',
  Suspended: 'suspended',
  Ready: 'ready',
  NotStarted: 'notStarted',
  Unready: 'unready',
};

function readinessOfLone(node: Node, options: Options, now: EpochMs): Readiness {
  const starts = isStarting(node, options.maxNodeStartupTime, now);
  const readiness = readinessOf(node, { deleted: isBeingRemoved(node), equipped: true }, starts, options);
  return readiness === 'Unready' && isStopped(node) ? 'Suspended' : readiness;
}
