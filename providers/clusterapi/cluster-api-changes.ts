import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { NodeGroupChanges } from '@outrigger/core/ports/node-groups.ts';
import type { Transport } from '../kubernetes/client/transport.ts';
import { createHourlyWarnings, type HourlyWarn, type Warn } from '../node-groups/warnings.ts';
import type { DiscoverySpec } from '../schema/cluster-api-discovery.ts';
import { createManagementApi } from './api/management-api.ts';
import { keysOf } from './api/resources.ts';
import { createChanges } from './changes/changes.ts';
import type { ChangedManagementCluster } from './changes/group-of-cluster.ts';

export interface ClusterApiSettings {
  /** To the API server of the management cluster. */
  readonly transport: Transport;
  /** API group of the resources and their annotations: `cluster.x-k8s.io`, `machine.openshift.io`, or another. */
  readonly apiGroup: string;
  /** The cluster whose nodes the Machines become. */
  readonly cluster: ClusterName;
  /** Whether `transport` reaches another cluster than that one. */
  readonly inManagementCluster: boolean;
  /** Selects node groups among the resources with bounds; empty: all that may be the cluster's (`discoveryIn`). */
  readonly discovery: readonly DiscoverySpec[];
  /** Whether MachineDeployments are node groups, or MachineSets alone. */
  readonly machineDeployments: boolean;
  /** `kubernetes.io/arch` of new nodes whose template does not say it. */
  readonly defaultArchitecture: string;
  /** Receives, once an hour for each subject, problems that do not keep a group from growing. */
  readonly warn: Warn;
  readonly now: () => EpochMs;
  /** Waits while machines are terminated: by default in the time of the process, which is that of `now`. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** The changes to MachineDeployments, MachineSets and MachinePools as node groups. */
export const createClusterApiChanges = (settings: ClusterApiSettings): NodeGroupChanges =>
  createChanges(managementOf(settings, createHourlyWarnings(settings.warn, settings.now)), settings);

/** The management cluster of the settings, whose served kinds it keeps in mind. */
export function managementOf(settings: ClusterApiSettings, warn: HourlyWarn): ChangedManagementCluster {
  const { transport, apiGroup, now } = settings;
  const api = createManagementApi({ transport, apiGroup, warn, now });
  return { transport, api, apiGroup, rules: { ...settings, keys: keysOf(apiGroup) } };
}
