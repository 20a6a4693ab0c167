import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { MAX_BODY_BYTES } from '@outrigger/providers/kubernetes/admission-review.ts';
import { createServerCertificate } from './certificate.ts';
import { type Address, type HttpServer, listening } from './listening.ts';

export interface WebhookServer extends HttpServer {
  /** PEM of the certificate authority that callers must trust. */
  readonly ca: string;
}

/** Limits on the resources of callers without a valid token, in ms. */
export interface CallLimits {
  readonly handshakeMs: number;
  readonly headersMs: number;
  readonly requestMs: number;
  /** How often Node.js checks for requests that exceed their limits. */
  readonly checkMs: number;
}

/** How the server admits and answers calls. */
export interface WebhookCalls {
  /** Whether the body of a call with this path is read. */
  readonly admits: (path: string) => boolean;
  readonly answer: (event: LambdaFunctionURLEvent) => Promise<LambdaFunctionURLResult>;
  /** @defaultValue those of `DEFAULT_LIMITS` */
  readonly limits?: CallLimits;
}

/** API servers are close by and wait 2 s. */
export const DEFAULT_LIMITS: CallLimits = { handshakeMs: 2_000, headersMs: 2_000, requestMs: 4_000, checkMs: 500 };
/** Connections at a time: an event takes one at most. */
const MAX_CONNECTIONS = 256;

/**
 * An HTTPS server that turns each request into the event of a Lambda function URL. A body is read only where the path
 * is admitted, up to `MAX_BODY_BYTES`; when there are too many connections, the oldest connection without an admitted
 * call is closed.
 *
 * @param address the port is 0 for any free one
 * @param name the host by which callers reach the server, for the certificate
 * @throws when the server cannot listen on the address
 */
export async function startWebhookServer(address: Address, name: string, calls: WebhookCalls): Promise<WebhookServer> {
  const { ca, certificate, key } = await createServerCertificate(name);
  const connections = boundedConnections(MAX_CONNECTIONS);
  const { handshakeMs, headersMs, requestMs, checkMs } = calls.limits ?? DEFAULT_LIMITS;
  const server = createServer(
    {
      cert: certificate,
      key,
      handshakeTimeout: handshakeMs,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: 8_192,
    },
    (request, response) => {
      respond(request, response, calls, connections.keep).catch(() => {
        // The function answers every call: only a broken connection rejects.
        response.destroy();
      });
    },
  );
  server.on('connection', connections.opened);
  const { host, port } = address;
  const problem = `The webhook server cannot listen on ${host}:${port}; choose another --listen`;
  return { ...(await listening(server, address, problem)), ca };
}

type Peer = Pick<Socket, 'remoteAddress' | 'remotePort'>;
/** TLS wraps the accepted socket: both have the peer's address. */
const peerOf = ({ remoteAddress, remotePort }: Peer): string => `${remoteAddress} ${remotePort}`;

/** The server's connections, oldest first. A connection with an admitted call is never closed for a new one. */
function boundedConnections(most: number) {
  const open = new Map<string, Socket>();
  const kept = new Set<string>();
  return {
    opened: (socket: Socket): void => {
      const peer = peerOf(socket);
      open.set(peer, socket);
      socket.once('close', () => {
        open.delete(peer);
        kept.delete(peer);
      });
      if (open.size > most) {
        const [oldest = peer] = [...open.keys()].filter((one) => !kept.has(one));
        open.get(oldest)?.destroy();
      }
    },
    keep: (socket: Peer): void => {
      kept.add(peerOf(socket));
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { admits, answer }: WebhookCalls,
  keep: (socket: Peer) => void,
): Promise<void> {
  let body: Buffer = Buffer.alloc(0);
  if (admits(pathOf(request).path)) {
    keep(request.socket);
    body = await readBody(request);
  }
  const result = await answer(functionUrlEvent(request, body));
  const { statusCode = 200, headers = {}, body: text = '' } = typeof result === 'string' ? { body: result } : result;
  if (!request.complete) {
    // The rest of the body is not read: the connection is closed with the answer.
    response.setHeader('connection', 'close');
  }
  response.writeHead(statusCode, headers as Record<string, string>).end(text, () => {
    if (!request.complete) {
      request.socket.destroySoon();
    }
  });
}

/** Reads a body, and stops as soon as it is too large. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) {
        request.pause();
        resolve(Buffer.concat(chunks));
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('close', () => reject(new Error('the caller went away')));
    request.on('error', reject);
  });
}

function pathOf(request: IncomingMessage): { readonly path: string; readonly query: string } {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  return { path, query };
}

/** Payload format 2.0 of Lambda function URLs, with the fields that a server has. */
function functionUrlEvent(request: IncomingMessage, body: Buffer): LambdaFunctionURLEvent {
  const { path, query } = pathOf(request);
  const method = request.method ?? 'POST';
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([header, value]) => [header, [value].flat().join(',')]),
    ),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'local',
      domainName: 'localhost',
      domainPrefix: 'local',
      http: {
        method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: '',
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: Date.now(),
    },
    body: body.toString('utf8'),
    isBase64Encoded: false,
  };
}
