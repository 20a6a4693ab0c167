import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { MAX_BODY_BYTES } from '../../functions/ingest/admission-review.ts';
import { createServerCertificate } from './certificate.ts';

export interface DoorbellServer {
  readonly port: number;
  /** PEM of the authority that callers must trust. */
  readonly ca: string;
  readonly close: () => Promise<void>;
}

/**
 * An HTTPS server that turns each request into the event of a Lambda function URL.
 *
 * @param host the address to listen on
 * @param port 0 for any free one
 * @param name the host as callers know it, for the certificate
 * @throws when the address cannot be listened on
 */
export async function startDoorbellServer(
  host: string,
  port: number,
  name: string,
  answer: (event: LambdaFunctionURLEvent) => Promise<LambdaFunctionURLResult>,
): Promise<DoorbellServer> {
  const { ca, certificate, key } = await createServerCertificate(name);
  const server = createServer({ cert: certificate, key }, (request, response) => {
    respond(request, response, answer).catch(() => {
      // Only a broken connection comes here: the function itself answers whatever happens.
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`The doorbell cannot listen on ${host}:${port}; choose another --listen`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    ca,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (event: LambdaFunctionURLEvent) => Promise<LambdaFunctionURLResult>,
): Promise<void> {
  const result = await answer(functionUrlEvent(request, await readBody(request)));
  const { statusCode = 200, headers = {}, body = '' } = typeof result === 'string' ? { body: result } : result;
  response.writeHead(statusCode, headers as Record<string, string>).end(body);
}

/** Reads no more than is needed to see that a body is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (bytes <= MAX_BODY_BYTES) {
      chunks.push(chunk);
      bytes += chunk.length;
    }
  }
  return Buffer.concat(chunks);
}

/** Payload format 2.0, as far as there is something to tell. */
function functionUrlEvent(request: IncomingMessage, body: Buffer): LambdaFunctionURLEvent {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
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
