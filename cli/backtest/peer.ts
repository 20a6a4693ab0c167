import { defaultOptions, type GroupOptions, type Options } from '@outrigger/core/model/options.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { underKarpenter } from './karpenter-load.ts';
import type { HistoryLoad } from './load-of.ts';

/** Autoscalers whose rules a run can follow. */
export const PEERS = ['cluster-autoscaler', 'karpenter'] as const;
export type Peer = (typeof PEERS)[number];

export const PEER_TITLES: Readonly<Record<Peer, string>> = {
  'cluster-autoscaler': 'Cluster Autoscaler',
  karpenter: 'Karpenter',
};

/** The title of the other run: by the rules of a peer, or with other options. */
export const titleOfOther = (peer: Peer | null): string =>
  mapOptional(peer, (name) => PEER_TITLES[name]) ?? 'with --set';

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

/** The load by the rules of a peer; the same load without one. */
export function underPeer(played: HistoryLoad, peer: Peer | null): HistoryLoad['load'] {
  switch (peer) {
    case 'cluster-autoscaler':
      return underClusterAutoscaler(played.load);
    case 'karpenter':
      return underKarpenter(played);
    case null:
      return played.load;
  }
}

/** With the defaults of Cluster Autoscaler, the limits of the cluster, and the options of groups that Cluster Autoscaler reads. */
function underClusterAutoscaler(load: HistoryLoad['load']): HistoryLoad['load'] {
  const kept = Object.fromEntries(KEPT.map((name) => [name, load.options[name]])) as Partial<Options>;
  return {
    ...load,
    options: { ...defaultOptions('cluster-autoscaler'), ...kept },
    groups: load.groups.map((group) => ({
      ...group,
      options: Object.fromEntries(Object.entries(group.options).filter(([name]) => OF_GROUPS.has(name))),
    })),
  };
}
