import { ApiError, codeOf, isRefusal } from './api-error.ts';
import type { Connection } from './connection.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';

/** Minimum time between renewals in ms: an unreachable cluster must not cause a call per request. */
const RENEWED_EVERY_MS = 30_000;

/**
 * A transport that looks its connection up on first use, and again when the API server is not the expected one or
 * rejects the credentials: EKS rotates certificate authorities, and a cluster that was created again under its name has
 * another endpoint. Where the connection has changed, the request is sent once more; a request that failed in this way
 * was never acted on.
 *
 * @param connect looks the connection up. A rejection fails the request, and the next request tries again.
 * @param now in ms.
 */
export function renewingTransport(
  connect: () => Promise<Connection>,
  now: () => number,
  overrides: Partial<TransportOptions> = {},
): Transport {
  let current: Promise<Open> | null = null;
  let connectedAt = -Infinity;

  const open = async (): Promise<Open> => {
    connectedAt = now();
    const connection = await connect();
    return { connection, transport: createTransport(connection, overrides) };
  };
  const opened = async (): Promise<Open> => {
    const opening = (current ??= open());
    try {
      return await opening;
    } catch (error) {
      if (current === opening) {
        current = null;
      }
      throw error;
    }
  };
  /** A connection that differs from the stale one, or `null`. Requests that fail together share one lookup. */
  const renewed = async (stale: Open, opening: Promise<Open> | null): Promise<Open | null> => {
    if (current === opening) {
      if (now() - connectedAt < RENEWED_EVERY_MS) {
        return null;
      }
      current = open().then(
        (found) => (isSame(found.connection, stale.connection) ? stale : found),
        () => stale,
      );
    }
    const found = await opened();
    return found === stale ? null : found;
  };

  return {
    async send(request, read, signal) {
      const stale = await opened();
      const opening = current;
      try {
        return await stale.transport.send(request, read, signal);
      } catch (error) {
        const fresh = isStale(error) ? await renewed(stale, opening) : null;
        signal?.throwIfAborted();
        if (fresh === null) {
          throw error;
        }
        return fresh.transport.send(request, read, signal);
      }
    },
    // A connection that has become stale is renewed by what is sent otherwise.
    line: async () => await (await opened()).transport.line!(),
    close: () => {
      void current?.then(
        ({ transport }) => transport.close(),
        () => {},
      );
    },
  };
}

interface Open {
  readonly connection: Connection;
  readonly transport: Transport;
}

const isSame = (a: Connection, b: Connection): boolean => a.server.href === b.server.href && a.tls.ca === b.tls.ca;

/** Another certificate authority, another endpoint, or another cluster's credentials. */
const isStale = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.kind === 'untrusted' || isRefusal(error, 401) || codeOf(error.cause) === 'ENOTFOUND');
