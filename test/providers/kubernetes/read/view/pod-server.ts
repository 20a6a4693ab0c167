/**
 * An HTTPS server with pods in the place of an API server: consistent lists in pages, and watches with their events in the
 * order of resource versions, then a bookmark.
 */
import type { ServerResponse } from 'node:http';
import { PROTOBUF } from '../../../../../providers/kubernetes/protobuf/envelope.ts';
import { type ApiServer, apiServer, json, refuse, type Seen } from '../../api-server.ts';
import { encodePod, type Json } from '../../protobuf/pod-encoder.ts';
import { envelope, listOf, message } from '../../wire-encoder.ts';

export type WatchFault =
  | 'none'
  | 'expired'
  | 'cut'
  | 'silent'
  | 'forbidden'
  | 'late bookmark'
  | 'nonsense'
  | 'flood'
  | 'hanging'
  /** Has all its events at once, and goes on without a bookmark. */
  | 'open'
  /** Has half of its events at once, and the others after longer than a silence. */
  | 'stalled';

/** Pods by `NAMESPACE/NAME`, and what has become of them. */
export class Pods {
  readonly #pods = new Map<string, Json>();
  readonly #log: {
    readonly version: number;
    readonly key: string;
    readonly before: Json | null;
    readonly after: Json | null;
  }[] = [];
  #version = 100;

  get version(): number {
    return this.#version;
  }

  keys(): readonly string[] {
    return [...this.#pods.keys()].toSorted();
  }

  /** Creates or replaces a pod. */
  put(key: string, of: Json): void {
    const [namespace, name] = key.split('/');
    this.#version += 1;
    const metadata = { name, namespace, uid: `uid-${key}`, resourceVersion: String(this.#version) };
    this.#change(key, { ...of, metadata: { ...metadata, ...(of['metadata'] as Json | undefined) } });
  }

  remove(key: string): void {
    if (this.#pods.has(key)) {
      this.#version += 1;
      this.#change(key, null);
    }
  }

  /** A change of something else in the store. */
  tick(): void {
    this.#version += 1;
  }

  #change(key: string, after: Json | null): void {
    this.#log.push({ version: this.#version, key, before: this.#pods.get(key) ?? null, after });
    if (after === null) {
      this.#pods.delete(key);
    } else {
      this.#pods.set(key, after);
    }
  }

  selected(): readonly Json[] {
    return this.keys().flatMap((key) => [this.#pods.get(key)!].filter(isUnfinished));
  }

  /** The events after a version, of selected pods. */
  since(version: number): readonly { readonly type: string; readonly version: number; readonly object: Json }[] {
    return this.#log.flatMap(({ version: at, before, after }) => {
      const was = before !== null && isUnfinished(before) ? before : null;
      const is = after !== null && isUnfinished(after) ? after : null;
      if (at <= version || (was === null && is === null)) {
        return [];
      }
      // The object as it was, with the version of its end.
      const ended = (pod: Json): Json => ({
        ...pod,
        metadata: { ...(pod['metadata'] as Json), resourceVersion: String(at) },
      });
      const type = is === null ? 'DELETED' : was === null ? 'ADDED' : 'MODIFIED';
      return [{ type, version: at, object: is ?? ended(was!) }];
    });
  }
}

const isUnfinished = ({ status }: Json): boolean =>
  !['Succeeded', 'Failed'].includes(String((status as Json)['phase']));

export interface PodServer extends ApiServer {
  readonly ways: {
    /** Fault of the watches from now on. */
    fault: WatchFault;
    /** Runs before each answer: what changes during a read. */
    meanwhile: (seen: Seen) => void;
    /** UID of the namespace kube-system. */
    clusterUid: string;
  };
}

/** @param encoding of objects; lists of metadata alone are in JSON, as an API server sends them */
export async function podServer(pods: Pods, encoding: 'protobuf' | 'json'): Promise<PodServer> {
  const states: States = new Map();
  const state = { fault: 'none' as WatchFault, meanwhile: (_seen: Seen): void => {}, clusterUid: 'uid-of-cluster' };
  const server = await apiServer((seen, response) => {
    state.meanwhile(seen);
    if (seen.path.endsWith('/namespaces')) {
      json(response, 200, {
        kind: 'NamespaceList',
        items: [{ metadata: { name: 'kube-system', uid: state.clusterUid } }],
      });
    } else if (seen.query.get('watch') === 'true') {
      watch(pods, encoding, state.fault, Number(seen.query.get('resourceVersion')), response);
    } else {
      listPods(states, pods, encoding, seen, response);
    }
  });
  return Object.assign(server, { ways: state });
}

/** All pages have the version of the first: a list is one state. */
type States = Map<string, { readonly pods: readonly Json[]; readonly version: number }>;

function listPods(
  states: States,
  pods: Pods,
  encoding: 'protobuf' | 'json',
  { query, headers }: Seen,
  response: ServerResponse,
): void {
  const limit = Number(query.get('limit'));
  const [version = '', from = '0'] = (query.get('continue') ?? '').split(':');
  const state = states.get(version) ?? { pods: pods.selected(), version: pods.version };
  const start = Number(from);
  const items = state.pods.slice(start, start + limit);
  const more = start + limit < state.pods.length;
  const token = more ? `${state.version}:${start + limit}` : '';
  states.set(String(state.version), state);
  if (encoding === 'protobuf' && !String(headers.accept).includes('PartialObjectMetadataList')) {
    const body = listOf('v1', 'Pod', items.map(encodePod), token, String(state.version));
    response.writeHead(200, { 'content-type': PROTOBUF }).end(body);
  } else {
    const metadata = { resourceVersion: String(state.version), continue: token };
    json(response, 200, { kind: 'PodList', metadata, items });
  }
}

function watch(
  pods: Pods,
  encoding: 'protobuf' | 'json',
  fault: WatchFault,
  since: number,
  response: ServerResponse,
): void {
  if (fault === 'forbidden') {
    refuse(response, 403, 'Forbidden', 'pods is forbidden: User "x" cannot watch resource "pods"');
    return;
  }
  const eventOf = (type: string, kind: string, object: Json): string | Buffer =>
    encoding === 'json' ? `${JSON.stringify({ type, object })}\n` : protobufEvent(type, kind, object);
  const send = (type: string, kind: string, object: Json): void => void response.write(eventOf(type, kind, object));
  response.writeHead(200, { 'content-type': encoding === 'json' ? 'application/json' : `${PROTOBUF};stream=watch` });
  if (fault === 'expired') {
    send('ERROR', 'Status', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' });
    response.end();
    return;
  }
  const events = pods.since(since);
  const sent = fault === 'cut' || fault === 'stalled' ? events.slice(0, events.length >> 1) : events;
  sent.forEach(({ type, object }) => send(type, 'Pod', object));
  if (fault === 'cut') {
    response.write('{');
    setTimeout(() => response.destroy(), 1);
  } else if (fault === 'hanging' || fault === 'open') {
    response.flushHeaders();
  } else if (fault === 'stalled') {
    response.flushHeaders();
    setTimeout(() => events.slice(sent.length).forEach(({ type, object }) => send(type, 'Pod', object)), 500);
  } else if (fault === 'silent') {
    setTimeout(() => response.end(), 2);
  } else if (fault === 'flood') {
    const metadata = { resourceVersion: String(since), annotations: { large: 'x'.repeat(16 * 1024) } };
    const event = eventOf('BOOKMARK', 'Pod', { kind: 'Pod', metadata });
    for (let sent = 0; sent <= 2_048; sent += 1) {
      response.write(event);
    }
  } else if (fault === 'nonsense') {
    response.end('\u0000\u0000\u0000\u0002..\n');
  } else {
    const version = fault === 'late bookmark' ? since : pods.version;
    send('BOOKMARK', 'Pod', { kind: 'Pod', metadata: { resourceVersion: String(version) } });
    setTimeout(() => response.end(), 2);
  }
}

/** `metav1.WatchEvent` after its length. */
function protobufEvent(type: string, kind: string, object: Json): Buffer {
  const status = message([3, String(object['message'])], [4, String(object['reason'])]);
  const raw = envelope('v1', kind, kind === 'Status' ? status : encodePod(object));
  const event = message([1, type], [2, message([1, raw])]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}
