import type { ClusterReader, ClusterWriter } from '../../core/model/ports.ts';
import type { Connection } from './connection.ts';
import { clusterReader } from './reader.ts';
import { createTransport, type Transport } from './transport.ts';
import { type ClusterWriterOptions, createClusterWriter } from './writer.ts';

export interface ClusterAccess {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
}

/** Reads and changes a cluster over the same few connections. */
export const createClusterAccess = (connection: Connection, options: ClusterWriterOptions): ClusterAccess =>
  clusterAccessOver(createTransport(connection), options);

export const clusterAccessOver = (transport: Transport, options: ClusterWriterOptions): ClusterAccess => ({
  reader: clusterReader(transport),
  writer: createClusterWriter(transport, options),
});
