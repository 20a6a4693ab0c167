import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * Has a server listen on an address.
 *
 * @throws Error with the message of the problem, if the address cannot be listened on
 */
export async function listening(
  server: Server | SecureServer,
  { host, port }: Address,
  problem: string,
): Promise<HttpServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(problem, { cause })));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A host as URLs have it: an IPv6 address in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
