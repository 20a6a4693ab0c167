import { present } from '@outrigger/core/model/values/present.ts';
import { textBefore } from '@outrigger/core/model/values/existing.ts';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import { type Address, type HttpServer, listening } from '../listening.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** Content security policy of the page: the sources that it may load. */
  readonly policy?: string;
}

export const plainAnswer = (status: number, text: string): HttpAnswer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${text}\n`,
});

/** By path: what is answered to GET. */
export type Routes = Readonly<Record<string, () => HttpAnswer | Promise<HttpAnswer>>>;

/** Limits on the resources of callers. */
const HEADERS_MS = 5_000;
const REQUEST_MS = 5_000;
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 8_192;

/**
 * Serves data for reading only: other methods than GET and HEAD are refused, and bodies are not read.
 *
 * A request is answered only where its `Host` is an address, `localhost`, or the host that is listened on: a page of
 * another site, whose name is made to resolve to this computer, reads nothing (DNS rebinding).
 *
 * @throws Error where it cannot listen on the address.
 */
export async function startHttpServer(address: Address, routes: Routes): Promise<HttpServer> {
  const { host, port } = address;
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, maxHeaderSize: MAX_HEADER_BYTES },
    (request, response) => {
      respond(request, response, host, routes).catch(() => response.destroy());
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  return await listening(server, address, `the endpoint cannot listen on ${host}:${port}; choose another --address`);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  host: string,
  routes: Routes,
): Promise<void> {
  const { status, type, body, policy } = await answerTo(request, host, routes);
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const isKnown = status === 200 && request.headers['if-none-match'] === tag;
  response.writeHead(isKnown ? 304 : status, {
    'content-type': type,
    etag: tag,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    ...present({ 'content-security-policy': policy, allow: status === 405 ? 'GET, HEAD' : null }),
  });
  response.end(isKnown || request.method === 'HEAD' ? undefined : body);
}

async function answerTo(request: IncomingMessage, host: string, routes: Routes): Promise<HttpAnswer> {
  if (!isOwnHost(request.headers.host, host)) {
    return plainAnswer(421, 'This host is not known here: use the address, or localhost.');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return plainAnswer(405, 'There is nothing to change here.');
  }
  const path = textBefore(request.url ?? '/', '?');
  const route = valueOf(routes, path);
  if (route === undefined) {
    return plainAnswer(404, `Not found. There are: ${Object.keys(routes).join(', ')}`);
  }
  return await route();
}

/** An address cannot be made to mean another computer; a name can. */
export function isOwnHost(header: string | undefined, host: string): boolean {
  const match = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<name>[^:[\]\s]+))(?::\d{1,5})?$/i.exec(header ?? '');
  const name = match?.groups?.['v6'] ?? match?.groups?.['name'];
  return (
    name !== undefined &&
    (isIP(name) !== 0 || name.toLowerCase() === 'localhost' || name.toLowerCase() === host.toLowerCase())
  );
}
