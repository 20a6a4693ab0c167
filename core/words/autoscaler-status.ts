import type { AutoscalerStatus, NodeGroupStatus } from '../model/cluster/autoscaler-status.ts';
import type { Decision, GroupReport, NodeCounts } from '../model/decision.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Backoff, State } from '../model/state.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { present } from '../model/values/present.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { whyLaunchFailed } from './why-launch-failed.ts';

/** Node groups that are listed: an object of the API server has 1 MB, and a group takes less than one of its kilobytes. */
const MOST_GROUPS = 1_000;

/**
 * The status of the cluster after a decision, in Cluster Autoscaler's terms. Unneeded nodes are those of the state, for
 * scale-down may be an evaluation of its own.
 */
export function autoscalerStatus({ nodeGroups }: Pick<Scenario, 'nodeGroups'>, decision: Decision): AutoscalerStatus {
  const { registry, state } = decision;
  const growing = new Set(state.scaleUpRequests.map(({ group }) => group));
  const statusOf = (group: NodeGroup): NodeGroupStatus | undefined =>
    mapOptional(registry.groups[group.name], (report) => groupStatus(group, report, growing.has(group.name), state));
  return {
    autoscalerStatus: 'Running',
    clusterWide: {
      health: { status: healthOf(registry.clusterHealthy), nodeCounts: nodeCounts(registry.totals) },
      scaleUp: { status: growing.size > 0 ? 'InProgress' : 'NoActivity' },
      scaleDown: candidates(Object.keys(state.unneededSince).length),
    },
    nodeGroups: presentItems(
      sortedBy(nodeGroups, ({ name }) => name)
        .slice(0, MOST_GROUPS)
        .map(statusOf),
    ),
  };
}

function groupStatus(
  { name, minSize, maxSize, nodes }: NodeGroup,
  report: GroupReport,
  isGrowing: boolean,
  { backoff, unneededSince }: Pick<State, 'backoff' | 'unneededSince'>,
): NodeGroupStatus {
  return {
    name,
    health: {
      status: healthOf(report.healthy),
      nodeCounts: nodeCounts(report),
      cloudProviderTarget: report.target,
      minSize,
      maxSize,
    },
    scaleUp: isGrowing ? { status: 'InProgress' } : idleScaleUp(report, backoff[name]),
    scaleDown: candidates(nodes.filter((node) => Object.hasOwn(unneededSince, node)).length),
  };
}

const healthOf = (healthy: boolean) => (healthy ? 'Healthy' : 'Unhealthy');

function idleScaleUp({ backoffUntil, healthy }: GroupReport, backoff: Backoff | undefined): NodeGroupStatus['scaleUp'] {
  if (backoffUntil !== null) {
    return { status: 'Backoff', ...present({ backoffInfo: mapOptional(backoff, backoffInfo) }) };
  }
  return { status: healthy ? 'NoActivity' : 'Unhealthy' };
}

const backoffInfo = ({ class: errorCode }: Backoff) => ({ errorCode, errorMessage: whyLaunchFailed(errorCode) });

const candidates = (count: number) =>
  count === 0 ? ({ status: 'NoCandidates' } as const) : ({ status: 'CandidatesPresent', candidates: count } as const);

const nodeCounts = (counts: NodeCounts): AutoscalerStatus['clusterWide']['health']['nodeCounts'] => ({
  registered: {
    total: counts.registered,
    ready: counts.ready,
    notStarted: counts.notStarted,
    suspended: counts.suspended,
    beingDeleted: counts.deleted,
    unready: { total: counts.unready, resourceUnready: 0 },
  },
  longUnregistered: counts.longUnregistered,
  unregistered: counts.unregistered,
});
