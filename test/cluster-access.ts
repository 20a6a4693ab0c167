import type { ClusterReader } from '../core/ports/cluster.ts';
import { type ClusterAccess, type ClusterAccessOptions, clusterAccessOver } from '../providers/kubernetes/access.ts';
import type { Connection } from '../providers/kubernetes/client/connection.ts';
import { createTransport } from '../providers/kubernetes/client/transport.ts';
import { clusterReader, type ClusterReaderOptions, DEFAULT_READER } from '../providers/kubernetes/read/reader.ts';

/** Reads a cluster over connections of its own. */
export function createClusterReader(
  connection: Connection,
  overrides: Partial<ClusterReaderOptions> = {},
): ClusterReader & { close(): void } {
  const options = { ...DEFAULT_READER, ...overrides };
  const transport = createTransport(connection, options.transport);
  return { ...clusterReader(transport, options), close: () => transport.close() };
}

/** Reads and changes a cluster over the same few connections. */
export const createClusterAccess = (connection: Connection, options: ClusterAccessOptions): ClusterAccess =>
  clusterAccessOver(createTransport(connection), options);
