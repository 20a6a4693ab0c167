import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { PRIORITY_CONFIG_MAP } from '@outrigger/core/model/cluster/priorities.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { SnapshotUse } from '@outrigger/core/model/snapshot-use.ts';
import type { ClusterReader, ClusterWriter } from '@outrigger/core/ports/cluster.ts';
import { clusterReader, DEFAULT_READER } from './read/reader.ts';
import type { HeadroomKinds } from './read/headroom-sources.ts';
import { listSnapshots, type ListSnapshotsOptions } from './read/snapshot/list-snapshots.ts';
import { KEPT_FROM_PODS, keptFrom, type ListReport } from './read/view/cached-lists.ts';
import { reportTo } from './read/view/report.ts';
import { createHourlyWarnings, type HourlyWarn } from '../node-groups/warnings.ts';
import { readStatusPause } from './status-config-map.ts';
import type { Transport } from './client/transport.ts';
import { type ClusterWriterOptions, createClusterWriter } from './writer.ts';

export interface ClusterAccess {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
}

export interface SnapshotsOfCluster extends Required<Pick<ListSnapshotsOptions, 'store' | 'cluster' | 'stored'>> {
  /** Is told what has become of the snapshot of each list that this process reads for the first time. */
  readonly used: (list: string, use: SnapshotUse) => void;
}

export interface ClusterAccessOptions extends ClusterWriterOptions {
  /** Namespace of the priority expander's ConfigMap: the option of that name. */
  readonly namespace: string;
  /** Whether CapacityBuffers, ProvisioningRequests and CapacityQuotas are read: the options of these names. Absent: none. */
  readonly headroomKinds?: HeadroomKinds;
  /** Whether long lists are kept and watched, and from which number of pods: the options of these names. Absent: not. */
  readonly incrementalReads?: boolean;
  readonly incrementalReadsFrom?: number;
  /** The store for cached lists that outlive this process, and the cluster of the lists; absent: none. */
  readonly snapshots?: SnapshotsOfCluster | undefined;
}

/** The objects that the options name. */
export const objectsOf = (
  options: Pick<
    Options,
    | 'namespace'
    | 'writeStatusConfigmap'
    | 'statusConfigMapName'
    | 'incrementalReads'
    | 'incrementalReadsFrom'
    | keyof HeadroomKinds
  >,
) => ({
  headroomKinds: {
    capacityBuffers: options.capacityBuffers,
    provisioningRequests: options.provisioningRequests,
    capacityQuotas: options.capacityQuotas,
    enableProactiveScaleup: options.enableProactiveScaleup,
  },
  incrementalReads: options.incrementalReads,
  incrementalReadsFrom: options.incrementalReadsFrom,
  namespace: options.namespace,
  status: options.writeStatusConfigmap ? { namespace: options.namespace, name: options.statusConfigMapName } : null,
});

/** Reads and changes a cluster over the same few connections. */
export const clusterAccessOver = (
  transport: Transport,
  {
    namespace,
    headroomKinds = DEFAULT_READER.headroomKinds,
    incrementalReads = false,
    incrementalReadsFrom = KEPT_FROM_PODS,
    snapshots,
    ...options
  }: ClusterAccessOptions,
): ClusterAccess => {
  const kept = {
    keptFrom: keptFrom(incrementalReadsFrom),
    report: reporting(options.warn, snapshots),
    snapshots: mapOptional(snapshots, (given) => listSnapshots(transport, { ...given, ...options })),
  };
  const hourly = createHourlyWarnings(options.warn, options.now);
  return {
    reader: withPause(
      transport,
      options,
      hourly,
      clusterReader(transport, {
        ...DEFAULT_READER,
        configMaps: [{ namespace, name: PRIORITY_CONFIG_MAP.name }],
        headroomKinds,
        kept: incrementalReads ? kept : null,
        warn: (message) => hourly('version', message),
      }),
    ),
    writer: createClusterWriter(transport, options),
  };
};

/** The reader, with the pause of the status ConfigMap, if any. */
function withPause(
  transport: Transport,
  { status }: ClusterWriterOptions,
  hourly: HourlyWarn,
  reader: ClusterReader,
): ClusterReader {
  if (status === null || status === undefined) {
    return reader;
  }
  return { ...reader, pause: async (signal) => await readStatusPause(transport, status, hourly, signal) };
}

function reporting(
  warn: (message: string) => void,
  snapshots: SnapshotsOfCluster | undefined,
): (report: ListReport) => void {
  const toWarn = reportTo(warn);
  return (report) => {
    toWarn(report);
    if (report.snapshot !== undefined) {
      snapshots?.used(report.resource, report.snapshot);
    }
  };
}
