import { textBefore } from '@outrigger/core/model/values/existing.ts';
import type { IncomingHttpHeaders } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { codeOf } from './api-error.ts';

const gunzip = promisify(zlib.gunzip);

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Media type without parameters, lower-case. */
  readonly contentType: string;
  /** Complete and decompressed. */
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

/** The connection ended before the complete response was received. */
export class CutShort extends Error {
  readonly code = 'ECONNRESET';
  constructor(received: number) {
    super(`the connection ended in the middle of the response, after ${received} bytes`);
    this.name = 'CutShort';
  }
}

/** The response is larger, as sent or decompressed, than the limit. */
export class AnswerTooLarge extends Error {
  constructor(maxBodyBytes: number) {
    super(`the response has more than ${maxBodyBytes} bytes`);
    this.name = 'AnswerTooLarge';
  }
}

/**
 * Makes an HTTP request and reads the complete response. `node:https` and not `fetch`: its keep-alive agent with a
 * private CA costs 8 ms of cold start, undici 46 ms, and a client with one agent per request a TLS handshake for each.
 *
 * @throws AnswerTooLarge, CutShort; errors of the socket, TLS or gzip; the signal's reason when it aborts.
 */
export async function exchange(url: URL, options: Exchange): Promise<Answer> {
  const { status, headers, packed } = await send(url, options);
  const body = headers['content-encoding'] === 'gzip' ? await unpacked(packed, options.maxBodyBytes) : packed;
  return { status, headers, body, contentType: mediaType(headers['content-type'] ?? '') };
}

/** Takes the bytes of a response as they come. */
export interface Taker {
  /** Takes the next bytes; `true`: no more are wanted. */
  readonly take: (chunk: Buffer, contentType: string) => boolean;
  /** Time without a byte after which no more are wanted; `null`: the response is taken to its end. */
  readonly silence: { readonly afterMs: number; readonly reached: () => void } | null;
}

/**
 * Makes an HTTP request and takes a successful response as it comes, until it ends or no more is wanted; then its
 * connection is closed. Returns a refusal, of up to `maxBodyBytes`, or `null`.
 *
 * @throws what `take` throws; otherwise as `exchange`, but for gzip, which is not asked for.
 */
export function exchangeStream(url: URL, options: Exchange, { take, silence }: Taker): Promise<Answer | null> {
  const { maxBodyBytes } = options;
  return new Promise((resolve, reject) => {
    const { request, fail } = open(url, options, reject, (response) => {
      const status = response.statusCode ?? 0;
      const contentType = mediaType(response.headers['content-type'] ?? '');
      const refused: Buffer[] = [];
      let received = 0;
      const end = (settle: () => void): void => {
        settle();
        request.destroy();
      };
      const silent = (): void => {
        silence?.reached();
        end(() => resolve(null));
      };
      const timer = silence === null || status !== 200 ? null : silenceTimer(silence.afterMs, silent);
      response.on('close', () => timer?.stop());
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        timer?.restart();
        if (received > maxBodyBytes) {
          end(() => reject(new AnswerTooLarge(maxBodyBytes)));
        } else if (status !== 200) {
          refused.push(chunk);
        } else {
          try {
            if (take(chunk, contentType)) {
              end(() => resolve(null));
            }
          } catch (error) {
            end(() => reject(error));
          }
        }
      });
      response.on('end', () => {
        if (!response.complete) {
          reject(new CutShort(received));
        } else if (status === 200) {
          resolve(null);
        } else {
          resolve({ status, headers: response.headers, contentType, body: Buffer.concat(refused) });
        }
      });
      response.on('error', (error) => fail(asCutShort(error, received)));
    });
    request.end();
  });
}

/**
 * Opens a request, which its caller ends.
 *
 * @returns the request, and how to fail: an error after the signal has aborted is the signal's reason.
 */
function open(
  url: URL,
  { agent, method, headers, signal }: Exchange,
  reject: (reason: unknown) => void,
  respond: (response: http.IncomingMessage) => void,
) {
  signal.throwIfAborted();
  const client = url.protocol === 'https:' ? https : http;
  const fail = (error: Error): void => reject(signal.aborted ? signal.reason : error);
  const request = client.request(url, { agent, method, headers, signal }, respond).on('error', fail);
  return { request, fail };
}

/**
 * Calls `silent` after a time without a restart. A process that was busy has not looked for bytes meanwhile: it looks
 * first (`setImmediate`), and after a long pause waits again.
 */
function silenceTimer(afterMs: number, silent: () => void) {
  let since = performance.now();
  let stopped = false;
  const restart = (): void => {
    since = performance.now();
    timer.refresh();
  };
  const look = (seen: number): void => {
    if (!stopped && since === seen) {
      silent();
    }
  };
  const timer = setTimeout(() => {
    if (performance.now() - since > 2 * afterMs) {
      restart();
    } else {
      setImmediate(look, since);
    }
  }, afterMs);
  return {
    restart,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function unpacked(packed: Buffer, maxBodyBytes: number): Promise<Buffer> {
  const length = statedLength(packed);
  // Decompressed up to the limit, a response that is then refused would take as much memory as one that is read.
  if (length > maxBodyBytes) {
    throw new AnswerTooLarge(maxBodyBytes);
  }
  try {
    // A single buffer where the length is known: many chunks would be copied into one, which doubles the memory.
    return await gunzip(packed, { maxOutputLength: maxBodyBytes, chunkSize: Math.max(length + 1, 16_384) });
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw new AnswerTooLarge(maxBodyBytes);
    }
    throw error;
  }
}

/** The maximum ratio of deflate. */
const BEST_RATIO = 1_032;

/** The decompressed length that a response declares at the end of its gzip (RFC 1952, ISIZE); 0 for an impossible one. */
function statedLength(packed: Buffer): number {
  if (packed.length < 18) {
    return 0;
  }
  const length = packed.readUInt32LE(packed.length - 4);
  return length > packed.length * BEST_RATIO ? 0 : length;
}

interface PackedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly packed: Buffer;
}

function send(url: URL, options: Exchange): Promise<PackedAnswer> {
  const { body, maxBodyBytes } = options;
  return new Promise((resolve, reject) => {
    const { request, fail } = open(url, options, reject, (response) => {
      const chunks: Buffer[] = [];
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxBodyBytes) {
          // Not by an error of the request: where this is the last chunk the request has ended, and nothing would catch it.
          reject(new AnswerTooLarge(maxBodyBytes));
          request.destroy();
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
      response.on('error', (error) => fail(asCutShort(error, received)));
    });
    request.end(body ?? undefined);
  });
}

const asCutShort = (error: Error, received: number): Error =>
  codeOf(error) === 'ECONNRESET' ? new CutShort(received) : error;

const mediaType = (header: string): string => textBefore(header, ';').trim().toLowerCase();
