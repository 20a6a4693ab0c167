/** A server that lists objects as an API server does: in pages, compressed, in protobuf or JSON. Runs in a process of its own. */
import http from 'node:http';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { KINDS } from '../providers/kubernetes/kinds.ts';
import { listOf } from '../providers/kubernetes/wire-encoder.ts';

/** Encoded objects of one kind: all as JSON, or all in protobuf. */
export type Encoded = readonly string[] | readonly Buffer[];

interface Packed {
  readonly contentType: string;
  readonly body: Buffer;
}

/** A page of one is asked for to count: what it says is how many remain. */
function countOf(all: Encoded): Packed {
  const remaining = Math.max(0, all.length - 1);
  const metadata = remaining === 0 ? {} : { continue: '1', remainingItemCount: remaining };
  const items = all.slice(0, 1).map(() => ({}));
  return { contentType: 'application/json', body: gzipSync(JSON.stringify({ metadata, items }), { level: 1 }) };
}

function pageOf(kind: string, all: Encoded, from: number, limit: number): Packed {
  const items = all.slice(from, from + limit);
  const token = from + limit < all.length ? String(from + limit) : '';
  if (items[0] instanceof Buffer) {
    return {
      contentType: 'application/vnd.kubernetes.protobuf',
      body: gzipSync(listOf('v1', kind, items as readonly Buffer[], token), { level: 1 }),
    };
  }
  const text = `{"kind":"${kind}List","metadata":{"continue":"${token}"},"items":[${items.join(',')}]}`;
  return { contentType: 'application/json', body: gzipSync(text, { level: 1 }) };
}

/**
 * Serves lists until standard input ends; its address is the one line on standard output. Pages are packed once.
 *
 * @param objects of a kind, those that a field selector is for
 */
export function serveLists(objects: (kind: string, fieldSelector: string) => Encoded): void {
  const pages = new Map<string, Packed>();
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://server');
    const resource = pathname.split('/').at(-1)!;
    const kind = KINDS[resource];
    if (kind === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"kind":"Status","reason":"NotFound","code":404}');
      return;
    }
    const from = Number(searchParams.get('continue') ?? 0);
    const limit = Number(searchParams.get('limit') ?? Number.POSITIVE_INFINITY);
    const selector = searchParams.get('fieldSelector') ?? '';
    const key = `${resource} ${from} ${limit} ${selector}`;
    const answerTo = (all: Encoded): Packed => (limit === 1 ? countOf(all) : pageOf(kind, all, from, limit));
    const { contentType, body } = pages.get(key) ?? answerTo(objects(kind, selector));
    pages.set(key, { contentType, body });
    response.writeHead(200, { 'content-type': contentType, 'content-encoding': 'gzip', 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
  });
  process.stdin.on('end', () => process.exit()).resume();
}

/** Starts a server from a file beside this one; it ends with this process. */
export async function startServer(file: string, ...args: readonly string[]): Promise<URL> {
  const server = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [address] = (await once(createInterface(server.stdout), 'line')) as [string];
  // An open handle would keep this process: the server ends when its input does.
  server.unref();
  server.stdout.destroy();
  return new URL(address);
}
