import { request, Agent } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { PATIENCE_MS } from './server-process.ts';
import { text as textOf } from 'node:stream/consumers';

/** Fields of every Kubernetes object. */
export interface KubeObject {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly uid?: string };
}

export interface Connection {
  /** `https://HOST:PORT`. */
  readonly apiServer: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly token: string;
}

/** A Kubernetes API client for tests: paths as in the API, JSON, one keep-alive pool. */
export interface Kube {
  get<T>(path: string): Promise<T>;
  list<T extends KubeObject>(path: string): Promise<readonly T[]>;
  create<T>(path: string, body: unknown): Promise<T>;
  /** A JSON merge patch. */
  patch<T>(path: string, body: unknown): Promise<T>;
  /** Gone already is fine. With `gracePeriodSeconds` 0 a pod goes at once. */
  remove(path: string, gracePeriodSeconds?: number): Promise<void>;
  /** Deletes all objects of a collection at once. */
  removeAll(path: string): Promise<void>;
  /** The bare text of an answer, as of `/readyz`. */
  text(path: string): Promise<string>;
  /**
   * Watches a collection until its objects satisfy the condition, and returns the objects of that moment.
   *
   * @throws on a timeout; the message has the condition and a description of the current objects by `describe`
   */
  until<T extends KubeObject>(path: string, condition: Condition<T>): Promise<readonly T[]>;
  /**
   * Watches a collection and hands over what it holds, first at once and then after every change, until told to stop by
   * `true` or by the signal.
   */
  watch<T extends KubeObject>(path: string, check: Check<T>, stop: AbortSignal): Promise<void>;
  close(): void;
}

/** Is shown what a collection holds; says whether that is enough. */
export type Check<T> = (objects: readonly T[]) => boolean;

export interface Condition<T> {
  /** Name of the awaited state, for the error. */
  readonly what: string;
  /** `PATIENCE_MS` without it. */
  readonly timeoutMs?: number;
  readonly holds: Check<T>;
  readonly describe?: (objects: readonly T[]) => string;
}

/** An answer that is not 2xx. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly status: number;
  constructor(method: string, path: string, status: number, body: string) {
    super(`${method} ${path}: ${status} ${body.slice(0, 500)}`);
    this.status = status;
  }
}

interface Listing<T> {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly T[];
}

interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'ERROR';
  readonly object: T;
}

export function kube({ apiServer, certificateAuthority, token }: Connection): Kube {
  const agent = new Agent({ keepAlive: true, ca: certificateAuthority, maxSockets: 32 });

  const sendOnce = (method: string, path: string, body?: unknown, type = 'application/json', signal?: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const payload = body === undefined ? '' : JSON.stringify(body);
      const outgoing = request(
        new URL(path, apiServer),
        {
          method,
          agent,
          headers: {
            authorization: `Bearer ${token}`,
            accept: 'application/json',
            'content-type': type,
            'content-length': Buffer.byteLength(payload),
          },
          ...(signal === undefined ? {} : { signal }),
        },
        resolve,
      );
      outgoing.once('error', (error) => reject(isStale(error, outgoing.reusedSocket) ? new StaleConnection() : error));
      outgoing.end(payload);
    });

  const send = async (...given: Parameters<typeof sendOnce>): Promise<IncomingMessage> => {
    for (;;) {
      try {
        return await sendOnce(...given);
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
      }
    }
  };

  const answer = async (method: string, path: string, body?: unknown, type?: string): Promise<string> => {
    const response = await send(method, path, body, type);
    const text = await textOf(response);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw new KubeError(method, path, status, text);
    return text;
  };

  const json = async <T>(method: string, path: string, body?: unknown, type?: string): Promise<T> =>
    JSON.parse(await answer(method, path, body, type)) as T;

  const watch = async <T extends KubeObject>(path: string, check: Check<T>, stop: AbortSignal): Promise<void> => {
    // The server ends a watch when it likes: list again and go on.
    while (!stop.aborted) {
      const listing = await json<Listing<T>>('GET', path);
      const objects = new Map(listing.items.map((object) => [key(object), object]));
      if (check([...objects.values()])) return;
      const query = `watch=true&resourceVersion=${listing.metadata.resourceVersion}`;
      let response: IncomingMessage;
      try {
        response = await send('GET', `${path}?${query}`, undefined, undefined, stop);
      } catch (error) {
        if (stop.aborted) return;
        throw error;
      }
      if (response.statusCode !== 200) {
        const text = await textOf(response);
        if (response.statusCode !== 410) throw new KubeError('GET', path, response.statusCode ?? 0, text);
        continue;
      }
      // A connection that breaks, or is told to stop, ends the lines too; what it has missed shows in the next list.
      response.on('error', () => undefined);
      try {
        for await (const line of createInterface({ input: response })) {
          const { type, object } = JSON.parse(line) as WatchEvent<T>;
          if (type === 'ERROR') break;
          if (type === 'DELETED') objects.delete(key(object));
          else objects.set(key(object), object);
          if (check([...objects.values()])) return;
        }
      } catch (error) {
        if (!isBroken(error)) throw error;
      } finally {
        response.destroy();
      }
    }
  };

  const until = async <T extends KubeObject>(path: string, condition: Condition<T>): Promise<readonly T[]> => {
    const { what, timeoutMs = PATIENCE_MS, holds, describe } = condition;
    let there: readonly T[] = [];
    let held = false;
    await watch<T>(
      path,
      (objects) => {
        there = objects;
        held = holds(objects);
        return held;
      },
      AbortSignal.timeout(timeoutMs),
    );
    if (held) return there;
    const state = describe?.(there) ?? `${there.length} objects`;
    throw new Error(`After ${timeoutMs / 1000} s still waiting for ${what} (${path}: ${state})`);
  };

  return {
    get: (path) => json('GET', path),
    list: async <T extends KubeObject>(path: string) => (await json<Listing<T>>('GET', path)).items,
    create: (path, body) => json('POST', path, body),
    patch: (path, body) => json('PATCH', path, body, 'application/merge-patch+json'),
    async remove(path, gracePeriodSeconds) {
      const options = gracePeriodSeconds === undefined ? undefined : { gracePeriodSeconds };
      await answer('DELETE', path, options).catch((error: unknown) => {
        if (!(error instanceof KubeError && error.status === 404)) throw error;
      });
    },
    async removeAll(path) {
      await answer('DELETE', path, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
    },
    text: (path) => answer('GET', path),
    until,
    watch,
    close: () => agent.destroy(),
  };
}

const isBroken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'ABORT_ERR');

/** The server had ended an idle connection, and the client had not seen that yet: it has not seen the request. */
class StaleConnection extends Error {}
const isStale = (error: Error, reused: boolean): boolean => reused && 'code' in error && error.code === 'ECONNRESET';

const key = ({ metadata }: KubeObject): string => metadata?.uid ?? '';
