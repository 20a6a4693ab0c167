import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { generate } from 'selfsigned';
import { type Connection, DEFAULT_TLS } from '../../../providers/kubernetes/client/connection.ts';

/** A request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export type Handler = (seen: Seen, response: http.ServerResponse, count: number) => void;

export interface ApiServer extends AsyncDisposable {
  readonly connection: Connection;
  /** Requests in the order in which they came. */
  readonly seen: readonly Seen[];
  /** How many TCP connections were opened. */
  readonly connections: () => number;
}

/** A certificate authority and its only certificate, both in one. */
export const makeCertificate = () =>
  generate([{ name: 'commonName', value: 'kube-apiserver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });

const certificate = makeCertificate();

/**
 * An HTTPS server in the place of an API server, with a certificate of its own.
 *
 * @param handler answers; `count` is the number of earlier requests with the same method and path
 * @param own the server's certificate; absent: the certificate shared by all servers; `null`: plain HTTP, which takes a fraction of the time
 */
export async function apiServer(
  handler: Handler,
  connection: Partial<Connection> = {},
  own: typeof certificate | null = certificate,
): Promise<ApiServer> {
  const tls = await own;
  const seen: Seen[] = [];
  let connections = 0;
  const answer: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'https://server');
      const one: Seen = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      const count = seen.filter(({ method, path }) => method === one.method && path === one.path).length;
      seen.push(one);
      handler(one, response, count);
    });
  };
  const server =
    tls === null ? http.createServer(answer) : https.createServer({ key: tls.private, cert: tls.cert }, answer);
  server.on(tls === null ? 'connection' : 'secureConnection', () => {
    connections += 1;
  });
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    connection: {
      server: new URL(`${tls === null ? 'http' : 'https'}://127.0.0.1:${port}`),
      tls: tls === null ? DEFAULT_TLS : { ...DEFAULT_TLS, ca: tls.cert },
      token: () => Promise.resolve('secret-token'),
      proxy: null,
      ...connection,
    },
    seen,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      // Includes sockets whose TLS has not begun, of a request beside one that has failed.
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Answers with a JSON document. */
export function json(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with a `metav1.Status`. */
export const refuse = (
  response: http.ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): void =>
  json(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code }, headers);
