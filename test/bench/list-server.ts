/** A server that lists objects as an API server does: in pages, compressed, in protobuf or JSON. Runs in a process of its own. */
import http from 'node:http';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { KINDS } from '../providers/kubernetes/kinds.ts';
import { envelope, listOf, message } from '../providers/kubernetes/wire-encoder.ts';

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

/** The version of lists in which nothing ever changes, as `listOf` writes it. */
export const FIRST_VERSION = 12_345;

/** Changes since the list, time and again. */
export interface Changing {
  readonly kind: string;
  /** The objects that have changed by then, encoded, with their versions. */
  readonly changedSince: (version: number) => readonly { readonly version: number; readonly object: Buffer }[];
  /** Changes something, and tells the version after it. */
  readonly change: () => number;
}

/** The metadata of a list of one, for what is read from then on by a watch. */
const presentOf = (version: number): Packed => ({
  contentType: 'application/json',
  body: gzipSync(JSON.stringify({ metadata: { resourceVersion: String(version) }, items: [] }), { level: 1 }),
});

/** The events of a watch, and a bookmark. */
function watchOf({ kind, changedSince }: Changing, since: number): Buffer {
  const changed = changedSince(since);
  const last = changed.at(-1)?.version ?? since;
  const bookmark = message([1, message([6, String(last + 1)])]);
  const framed = (type: string, object: Buffer): Buffer => {
    const event = message([1, type], [2, message([1, envelope('v1', kind, object)])]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(event.length);
    return Buffer.concat([length, event]);
  };
  return Buffer.concat([...changed.map(({ object }) => framed('MODIFIED', object)), framed('BOOKMARK', bookmark)]);
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
 * @param changing what watches show; absent: there are none
 */
export function serveLists(objects: (kind: string, fieldSelector: string) => Encoded, changing?: Changing): void {
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
    if (changing !== undefined && searchParams.has('watch')) {
      const since = Number(searchParams.get('resourceVersion'));
      response.writeHead(200, { 'content-type': 'application/vnd.kubernetes.protobuf;stream=watch' });
      response.end(changing.kind === kind ? watchOf(changing, since) : undefined);
      return;
    }
    if (changing?.kind === kind && searchParams.get('limit') === '1') {
      const { contentType, body } = presentOf(changing.change());
      response.writeHead(200, { 'content-type': contentType, 'content-encoding': 'gzip' });
      response.end(body);
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
