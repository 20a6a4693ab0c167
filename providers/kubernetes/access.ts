import type { ClusterReader, ClusterWriter } from '../../core/model/ports.ts';
import type { Connection } from './connection.ts';
import { clusterReader } from './reader.ts';
import { createTransport } from './transport.ts';
import { type ClusterWriterOptions, createClusterWriter } from './writer.ts';

/** Reads and changes a cluster over the same few connections. */
export function createClusterAccess(
  connection: Connection,
  options: ClusterWriterOptions,
): { readonly reader: ClusterReader; readonly writer: ClusterWriter } {
  const transport = createTransport(connection);
  return { reader: clusterReader(transport), writer: createClusterWriter(transport, options) };
}
