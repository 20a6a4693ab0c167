import type { IncomingHttpHeaders } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const gunzip = promisify(zlib.gunzip);

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Media type without parameters, lower-case. */
  readonly contentType: string;
  /** Whole, and unpacked. */
  readonly body: Buffer;
}

export interface Exchange {
  readonly agent: http.Agent;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal;
}

/** The connection ended before the whole answer was there. */
export class CutShort extends Error {
  readonly code = 'ECONNRESET';
  constructor(received: number) {
    super(`the connection ended in the middle of the answer, after ${received} bytes`);
    this.name = 'CutShort';
  }
}

/** The answer has more bytes, as sent or unpacked, than are read. */
export class AnswerTooLarge extends Error {
  constructor(maxBodyBytes: number) {
    super(`the answer has more than ${maxBodyBytes} bytes`);
    this.name = 'AnswerTooLarge';
  }
}

/**
 * One HTTP request and its whole answer. `node:https` and not `fetch`: its keep-alive agent with a private CA costs 8 ms
 * of cold start, undici 46 ms, and a client that makes one agent per request a TLS handshake for each.
 *
 * @throws AnswerTooLarge, CutShort; what the socket, TLS or gzip throw; the signal's reason when it aborts.
 */
export async function exchange(url: URL, options: Exchange): Promise<Answer> {
  const { status, headers, packed } = await send(url, options);
  const body = headers['content-encoding'] === 'gzip' ? await unpacked(packed, options.maxBodyBytes) : packed;
  return { status, headers, body, contentType: mediaType(headers['content-type'] ?? '') };
}

async function unpacked(packed: Buffer, maxBodyBytes: number): Promise<Buffer> {
  const length = statedLength(packed);
  // Unpacked up to the limit, an answer that is refused anyway takes as much memory as one that is read.
  if (length > maxBodyBytes) {
    throw new AnswerTooLarge(maxBodyBytes);
  }
  try {
    // In one piece where the length is known: many pieces are copied into one, and there are two of everything.
    return await gunzip(packed, { maxOutputLength: maxBodyBytes, chunkSize: Math.max(length + 1, 16_384) });
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
      ? new AnswerTooLarge(maxBodyBytes)
      : error;
  }
}

/** No byte of deflate unpacks to more. */
const BEST_RATIO = 1_032;

/** How long an answer says that it is, unpacked: the end of its gzip (RFC 1952, ISIZE). 0 where that cannot be. */
function statedLength(packed: Buffer): number {
  const length = packed.length < 18 ? 0 : packed.readUInt32LE(packed.length - 4);
  return length > packed.length * BEST_RATIO ? 0 : length;
}

interface Packed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly packed: Buffer;
}

function send(url: URL, { agent, method, headers, body, maxBodyBytes, signal }: Exchange): Promise<Packed> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const client = url.protocol === 'https:' ? https : http;
    const request = client.request(url, { agent, method, headers, signal }, (response) => {
      const chunks: Buffer[] = [];
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxBodyBytes) {
          request.destroy(new AnswerTooLarge(maxBodyBytes));
          return;
        }
        chunks.push(chunk);
      });
      response.on('end', () => {
        if (response.complete) {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, packed: Buffer.concat(chunks) });
        } else {
          reject(new CutShort(received));
        }
      });
      // After the headers, a broken connection shows here and not on the request.
      response.on('error', (error) => reject(signal.aborted ? signal.reason : asCutShort(error, received)));
    });
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    request.end(body ?? undefined);
  });
}

const asCutShort = (error: Error, received: number): Error =>
  'code' in error && error.code === 'ECONNRESET' ? new CutShort(received) : error;

const mediaType = (header: string): string => header.split(';', 1)[0]!.trim().toLowerCase();
