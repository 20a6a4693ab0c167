import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { loadClusterRecord } from '@outrigger/providers/cluster-record.ts';
import type { OpenStores } from '../explain/stored.ts';
import { type HttpAnswer, plainAnswer, startHttpServer } from '../local/endpoint/http-server.ts';
import { storedMetrics } from '../local/endpoint/metrics.ts';
import type { Address, HttpServer } from '../local/listening.ts';
import { errorText } from '../local/log.ts';

/** Several scrapes within this time read the table once. */
const KEPT_MS = 15_000;
/** Reading the table may take this long: the default timeout of a scrape is ten seconds. */
const READ_MS = 8_000;

/** A server of the metrics of one cluster. */
export interface Exporter {
  readonly address: Address;
  readonly stores: Pick<OpenStores, 'cluster' | 'table' | 'store' | 'drains' | 'options'>;
  readonly now: () => EpochMs;
}

/**
 * Serves the metrics of the stored decisions of a cluster at `/metrics`. A scrape fails with 503 while the table cannot be read,
 * and 404 before the first evaluation, so that Prometheus' `up` is 0.
 *
 * @throws Error where it cannot listen on the address.
 */
export function serveExporter({ address, stores, now }: Exporter): Promise<HttpServer> {
  let read: { readonly at: EpochMs; readonly answer: Promise<HttpAnswer> } | null = null;
  return startHttpServer(address, {
    '/metrics': () => {
      const at = now();
      if (read === null || at - read.at >= KEPT_MS) {
        read = { at, answer: answerAt(at, stores) };
      }
      return read.answer;
    },
  });
}

async function answerAt(now: EpochMs, { cluster, table, options, ...stores }: Exporter['stores']): Promise<HttpAnswer> {
  try {
    const record = await loadClusterRecord(stores, { cluster, options, now }, AbortSignal.timeout(READ_MS));
    if (record === null) {
      return plainAnswer(404, `Cluster ${cluster} was never evaluated, as far as table ${table} has it`);
    }
    return { status: 200, ...(await storedMetrics(record)) };
  } catch (error) {
    return plainAnswer(503, `The state of cluster ${cluster} cannot be read: ${errorText(error)}`);
  }
}
