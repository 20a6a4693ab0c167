import type { ClusterReader } from '../core/ports/cluster.ts';
import { type ClusterAccess, type ClusterAccessOptions, clusterAccessOver } from '../providers/kubernetes/access.ts';
import type { Connection } from '../providers/kubernetes/client/connection.ts';
import { createTransport, type TransportOptions } from '../providers/kubernetes/client/transport.ts';
import { clusterReader, type ClusterReaderOptions, DEFAULT_READER } from '../providers/kubernetes/read/reader.ts';

export interface TestReaderOptions extends Partial<ClusterReaderOptions> {
  readonly transport?: Partial<TransportOptions>;
}

/** Reads a cluster over connections of its own. */
export function createClusterReader(
  connection: Connection,
  { transport: ofTransport, ...overrides }: TestReaderOptions = {},
): ClusterReader & { close(): void } {
  const transport = createTransport(connection, ofTransport);
  return { ...clusterReader(transport, { ...DEFAULT_READER, ...overrides }), close: () => transport.close() };
}

/** Reads and changes a cluster over the same few connections. */
export const createClusterAccess = (connection: Connection, options: ClusterAccessOptions): ClusterAccess =>
  clusterAccessOver(createTransport(connection), options);
