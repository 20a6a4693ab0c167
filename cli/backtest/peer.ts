import { defaultOptions, type GroupOptions, type Options } from '@outrigger/core/model/options.ts';
import type { HistoryLoad } from './load-of.ts';

/** Autoscalers whose rules a run can follow. */
export const PEERS = ['cluster-autoscaler'] as const;
export type Peer = (typeof PEERS)[number];

export const PEER_TITLES: Readonly<Record<Peer, string>> = { 'cluster-autoscaler': 'Cluster Autoscaler' };

/** Options that say what the cluster is and may become, not how it is scaled. */
const KEPT = [
  'maxNodesTotal',
  'coresTotal',
  'memoryTotal',
  'gpuTotal',
  'startupTaint',
  'startupTaintPrefix',
  'statusTaint',
  'namespace',
  'prices',
] as const satisfies readonly (keyof Options)[];

/** Options that Cluster Autoscaler reads from the tags of a node group: `GetOptions` of its AWS provider. */
const OF_GROUPS: ReadonlySet<string> = new Set<keyof GroupOptions>([
  'scaleDownUtilizationThreshold',
  'scaleDownGpuUtilizationThreshold',
  'scaleDownUnneededTime',
  'scaleDownUnreadyTime',
  'maxNodeProvisionTime',
  'ignoreDaemonSetsUtilization',
]);

/** The load by the rules of a peer: with the defaults of the peer, the limits of the cluster, and the options of groups that the peer reads. */
export function underPeer(load: HistoryLoad['load'], peer: Peer | null): HistoryLoad['load'] {
  if (peer === null) {
    return load;
  }
  const kept = Object.fromEntries(KEPT.map((name) => [name, load.options[name]])) as Partial<Options>;
  return {
    ...load,
    options: { ...defaultOptions(peer), ...kept },
    groups: load.groups.map((group) => ({
      ...group,
      options: Object.fromEntries(Object.entries(group.options).filter(([name]) => OF_GROUPS.has(name))),
    })),
  };
}
