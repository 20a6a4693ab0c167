import http, { type ServerResponse } from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../../providers/kubernetes/client/api-error.ts';
import { apiRequest, nonResourceRequest, urlOf } from '../../../../providers/kubernetes/client/api-request.ts';
import { DEFAULT_TLS } from '../../../../providers/kubernetes/client/connection.ts';
import { NODES, POD_LISTS } from '../../../../providers/kubernetes/read/kinds.ts';
import { ACCEPT, pageReader } from '../../../../providers/kubernetes/read/page.ts';
import { PROTOBUF } from '../../../../providers/kubernetes/protobuf/envelope.ts';
import {
  knowsProxies,
  type TransportOptions,
  createTransport,
} from '../../../../providers/kubernetes/client/transport.ts';
import { type ApiServer, apiServer, json, refuse } from '../api-server.ts';
import { encodePod } from '../protobuf/pod-encoder.ts';
import { envelope, listOf, message } from '../wire-encoder.ts';

const QUICK: Partial<TransportOptions> = { deadlineMs: 5_000, firstPauseMs: 5, budgetMs: 20_000 };

const listPods = apiRequest('list', POD_LISTS.resource, { accept: ACCEPT });
const POD_LIST = listOf('v1', 'Pod', [
  encodePod({ metadata: { name: 'a', namespace: 'default' }, spec: { containers: [] } }),
]);

function sendPods(response: ServerResponse, body: Buffer = POD_LIST): void {
  response.writeHead(200, { 'content-type': PROTOBUF, 'content-length': body.length });
  response.end(body);
}

/** Lists pods, and gives their names. */
async function podNames(
  { connection }: ApiServer,
  options: Partial<TransportOptions> = {},
): Promise<readonly string[]> {
  const transport = createTransport(connection, { ...QUICK, ...options });
  try {
    const page = await transport.send(listPods, pageReader(POD_LISTS).page);
    return page.items.map((item) => ('name' in item ? item.name : ''));
  } finally {
    transport.close();
  }
}

async function failure(run: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await run.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

type Fault = readonly [name: string, (response: ServerResponse) => void, kind: string, said: RegExp];

const PASSING: readonly Fault[] = [
  ['429', (r) => refuse(r, 429, 'TooManyRequests', 'slow down'), 'refused', /HTTP 429: slow down/],
  ['500', (r) => refuse(r, 500, 'InternalError', 'etcdserver: timeout'), 'refused', /HTTP 500: etcdserver: timeout/],
  [
    '503 of a load balancer',
    (r) => r.writeHead(503, { 'content-type': 'text/html' }).end('<h1>busy</h1>'),
    'refused',
    /HTTP 503: <h1>busy<\/h1>/,
  ],
  ['silence', () => {}, 'timeout', /no complete response within \d+ ms/],
  [
    'silence after the headers',
    (r) => r.writeHead(200, { 'content-type': PROTOBUF }).flushHeaders(),
    'timeout',
    /no complete response/,
  ],
  ['an end before the answer', (r) => r.socket?.destroy(), 'unreachable', /ECONNRESET|hang up/],
  [
    'an end in the middle of the body',
    (r) => {
      r.writeHead(200, { 'content-type': PROTOBUF, 'content-length': POD_LIST.length });
      r.write(POD_LIST.subarray(0, 20), () => r.socket?.destroy());
    },
    'unreachable',
    /in the middle of the response, after \d+ bytes/,
  ],
  [
    'a body that ends early without a length',
    (r) => {
      r.writeHead(200, { 'content-type': PROTOBUF, 'transfer-encoding': 'chunked' });
      r.write(POD_LIST.subarray(0, 20), () => r.socket?.destroy());
    },
    'unreachable',
    /in the middle of the response/,
  ],
  [
    'gzip that is cut',
    (r) => {
      const packed = gzipSync(POD_LIST).subarray(0, -12);
      r.writeHead(200, { 'content-type': PROTOBUF, 'content-encoding': 'gzip' }).end(packed);
    },
    'unreachable',
    /unexpected end of file/,
  ],
  ['protobuf that is cut', (r) => sendPods(r, POD_LIST.subarray(0, -12)), 'unreadable', /cut short at byte \d+/],
  [
    'protobuf of another list',
    (r) => sendPods(r, listOf('v1', 'Node', [])),
    'unreadable',
    /expected a PodList, found "NodeList"/,
  ],
  [
    'JSON that is cut',
    (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{"kind":"PodLi'),
    'unreadable',
    /Unterminated string/,
  ],
  [
    'a login page',
    (r) => r.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Sign in</html>'),
    'unreadable',
    /has the content type "text\/html", .*<html>Sign in<\/html>/,
  ],
];

const SILENT = PASSING.filter(([, , kind]) => kind === 'timeout');
const AUDIBLE = PASSING.filter(([, , kind]) => kind !== 'timeout');

describe('a failure that passes', () => {
  it.each(AUDIBLE)('%s: the next attempt succeeds, and nothing is lost', async (_, fault) => {
    await using server = await apiServer((_seen, response, count) =>
      count < 2 ? fault(response) : sendPods(response),
    );
    expect(await podNames(server)).toEqual(['a']);
    expect(server.seen).toHaveLength(3);
  });

  it.each(SILENT)('%s: an attempt that gets an answer succeeds', async (_, fault) => {
    await using server = await apiServer((_seen, response, count) =>
      count === 0 ? fault(response) : sendPods(response),
    );
    expect(await podNames(server, { deadlineMs: 250, maxAttempts: 40 })).toEqual(['a']);
    expect(server.seen.length).toBeGreaterThan(1);
  });

  it.each(PASSING)('%s: when it stays, the error says so', async (_, fault, kind, said) => {
    await using server = await apiServer((_seen, response) => fault(response));
    const deadline = kind === 'timeout' ? { deadlineMs: 100 } : {};
    const error = await failure(podNames(server, { maxAttempts: 2, ...deadline }));
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(said);
    expect(error.message).toContain('"list pods" at https://127.0.0.1:');
    expect(error.message).toContain('2 attempts');
  });
});

describe('Retry-After', () => {
  it('is waited for', async () => {
    const times: number[] = [];
    await using server = await apiServer((_seen, response, count) => {
      times.push(performance.now());
      return count === 0 ? refuse(response, 429, 'TooManyRequests', '', { 'retry-after': '1' }) : sendPods(response);
    });
    await podNames(server);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990);
  });

  it('in the body of the answer counts too', async () => {
    const status = message([3, 'later'], [4, 'TooManyRequests'], [5, message([5, 3_600])], [6, 429]);
    await using server = await apiServer((_seen, response) =>
      response.writeHead(429, { 'content-type': PROTOBUF }).end(envelope('v1', 'Status', status)),
    );
    const error = await failure(podNames(server));
    expect(error).toMatchObject({ retryAfterMs: 3_600_000, reason: 'TooManyRequests' });
    expect(error.message).toContain('HTTP 429: later');
  });

  it('beyond the budget is not waited for', async () => {
    await using server = await apiServer((_seen, response) =>
      refuse(response, 429, 'TooManyRequests', '', { 'retry-after': '3600' }),
    );
    // Else the test would run out of time.
    expect((await failure(podNames(server))).status).toBe(429);
    expect(server.seen).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('for want of permission names the rule that is missing', async () => {
    await using server = await apiServer((_seen, response) =>
      refuse(response, 403, 'Forbidden', 'pods is forbidden: User "outrigger" cannot list resource "pods"'),
    );
    const error = await failure(podNames(server));
    expect(error.status).toBe(403);
    expect(error.message).toContain('"list pods" at https://127.0.0.1:');
    expect(error.message).toContain('User "outrigger" cannot list resource "pods"');
    expect(error.message).toContain('{apiGroups: [""], resources: ["pods"], verbs: ["list"]}');
    expect(server.seen).toHaveLength(1);
  });

  it.each([400, 404, 409, 410, 422, 501])('with %i is not repeated', async (code) => {
    await using server = await apiServer((_seen, response) => refuse(response, code, 'Because', 'no'));
    expect(await failure(podNames(server))).toMatchObject({ status: code, reason: 'Because', retryable: false });
    expect(server.seen).toHaveLength(1);
  });
});

describe('a create', () => {
  const evict = apiRequest('create', POD_LISTS.resource, {
    namespace: 'default',
    name: 'web-1',
    subresource: 'eviction',
    body: { contentType: 'application/json', text: '{}' },
  });

  const send = async ({ connection }: ApiServer, options: Partial<TransportOptions> = {}): Promise<number> => {
    const transport = createTransport(connection, { ...QUICK, ...options });
    try {
      return await transport.send(evict, ({ status }) => status);
    } finally {
      transport.close();
    }
  };

  it('is sent again when the server says that it did not act', async () => {
    await using server = await apiServer((_seen, response, count) =>
      count === 0 ? refuse(response, 429, 'TooManyRequests', '') : json(response, 201, {}),
    );
    expect(await send(server)).toBe(201);
    expect(server.seen[1]).toMatchObject({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods/web-1/eviction',
      body: '{}',
    });
  });

  it.each(PASSING.filter(([name]) => ['500', 'silence', 'an end before the answer'].includes(name)))(
    'is not sent again after %s: it may have been done',
    async (_, fault) => {
      await using server = await apiServer((_seen, response) => fault(response));
      await failure(send(server, { deadlineMs: 1_000 }));
      expect(server.seen).toHaveLength(1);
    },
  );
});

describe('the token', () => {
  it('is fetched anew once when the server does not take it', async () => {
    const given: boolean[] = [];
    await using server = await apiServer(
      ({ headers }, response) =>
        headers.authorization === 'Bearer fresh'
          ? sendPods(response)
          : refuse(response, 401, 'Unauthorized', 'Unauthorized'),
      { token: (refresh) => (given.push(refresh), Promise.resolve(refresh ? 'fresh' : 'stale')) },
    );
    expect(await podNames(server)).toEqual(['a']);
    expect(given).toEqual([false, true]);
  });

  it('that is never taken ends in advice, without the token', async () => {
    await using server = await apiServer((_seen, response) => refuse(response, 401, 'Unauthorized', 'Unauthorized'));
    const error = await failure(podNames(server));
    expect(error.status).toBe(401);
    expect(error.message).toContain('access entry');
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain('secret-token');
    expect(server.seen).toHaveLength(2);
  });

  it('is not sent unencrypted to another host', () => {
    expect(() =>
      createTransport({
        server: new URL('http://10.0.0.1:8080'),
        tls: DEFAULT_TLS,
        token: () => Promise.resolve('secret-token'),
        proxy: null,
      }),
    ).toThrow('unencrypted');
  });

  it('is not sent unencrypted through a proxy, though the server is on this host', () => {
    const connection = {
      server: new URL('http://127.0.0.1:8080'),
      tls: DEFAULT_TLS,
      token: () => Promise.resolve('x'),
    };
    expect(() => createTransport({ ...connection, proxy: 'http://proxy:3128' })).toThrow('The proxy would receive');
    createTransport({ ...connection, proxy: null }).close();
    createTransport({ ...connection, token: null, proxy: 'http://proxy:3128' }).close();
  });
});

describe('the connection', () => {
  it('is kept alive', async () => {
    await using server = await apiServer((_seen, response) => sendPods(response));
    const transport = createTransport(server.connection, QUICK);
    for (let i = 0; i < 5; i++) {
      await transport.send(listPods, () => undefined);
    }
    transport.close();
    expect(server.seen).toHaveLength(5);
    expect(server.connections()).toBe(1);
  });

  it('is not made to a server with a certificate of another authority, and that is not tried twice', async () => {
    await using server = await apiServer((_seen, response) => sendPods(response), { tls: DEFAULT_TLS });
    const error = await failure(podNames(server));
    expect(error).toMatchObject({ kind: 'untrusted', retryable: false });
    expect(error.message).toContain('certificate authority');
    expect(error.message).not.toContain('attempts');
    expect(server.seen).toHaveLength(0);
  });

  it('is made to any server when told so', async () => {
    await using server = await apiServer((_seen, response) => sendPods(response), {
      tls: { ...DEFAULT_TLS, insecure: true },
    });
    expect(await podNames(server)).toEqual(['a']);
  });

  it.each([
    ['20.20.2', false],
    ['22.20.0', false],
    ['22.21.0', true],
    ['24.0.0', false],
    ['24.4.1', false],
    ['24.5.0', true],
    ['26.0.0', true],
  ])('goes through a proxy with Node %s: %s', (version, expected) => {
    expect(knowsProxies(version)).toBe(expected);
  });

  it('is refused where Node would bypass the proxy', () => {
    vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...process.versions, node: '20.20.2' });
    const connection = { server: new URL('https://10.0.0.1'), tls: DEFAULT_TLS, token: null };
    expect(() => createTransport({ ...connection, proxy: 'http://proxy:3128' })).toThrow('needs Node 24.5');
    createTransport({ ...connection, proxy: null }).close();
    vi.restoreAllMocks();
  });

  it('goes through a proxy where there is one', async () => {
    const asked: string[] = [];
    const proxy = http.createServer().on('connect', (request: http.IncomingMessage, client: Duplex) => {
      asked.push(request.url ?? '');
      const [host, port] = request.url!.split(':');
      const upstream = net.connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
    });
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve);
    });
    await using server = await apiServer((_seen, response) => sendPods(response), {
      proxy: `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`,
    });
    expect(await podNames(server)).toEqual(['a']);
    expect(asked).toEqual([server.connection.server.host]);
    proxy.close();
  });

  it('that is not accepted is an error that says where', async () => {
    const server = await apiServer(() => {});
    await server[Symbol.asyncDispose]();
    const error = await failure(podNames(server, { maxAttempts: 2 }));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain(`"list pods" at ${server.connection.server.origin} failed`);
  });

  it('unpacks gzip', async () => {
    await using server = await apiServer(({ headers }, response) => {
      expect(headers['accept-encoding']).toBe('gzip');
      response.writeHead(200, { 'content-type': PROTOBUF, 'content-encoding': 'gzip' }).end(gzipSync(POD_LIST));
    });
    expect(await podNames(server)).toEqual(['a']);
  });

  it.each([
    [
      'packed',
      (r: ServerResponse) => r.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100_000))),
    ],
    ['unpacked', (r: ServerResponse) => r.writeHead(200).end(Buffer.alloc(100_000))],
    [
      'packed, as it says itself at its end',
      (r: ServerResponse) => {
        const packed = gzipSync(Buffer.alloc(100_000));
        // It is not unpacked: that this cannot be is not seen.
        r.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.fill(0xff, 10, packed.length - 8));
      },
    ],
  ])('reads no more than there is room for: %s', async (_, answer) => {
    await using server = await apiServer((_seen, response) => answer(response));
    const error = await failure(podNames(server, { maxBodyBytes: 50_000 }));
    expect(error).toMatchObject({ kind: 'too large', retryable: false });
    expect(error.message).toContain('more than 50000 bytes');
  });

  it('reads no more than there is room for where all of it comes at once', async () => {
    await using server = await apiServer((_seen, response) => response.writeHead(200).end(Buffer.alloc(5_000)));
    const error = await failure(podNames(server, { maxBodyBytes: 1_000 }));
    expect(error).toMatchObject({ kind: 'too large', retryable: false });
  });
});

describe('the caller', () => {
  it('that gives up stops the request and the pauses between attempts', async () => {
    const abort = new AbortController();
    await using server = await apiServer((_seen, response, count) => {
      if (count === 1) {
        abort.abort(new Error('out of time'));
      }
      refuse(response, 503, '', '');
    });
    const transport = createTransport(server.connection, { ...QUICK, budgetMs: 60_000, maxAttempts: 100 });
    await expect(transport.send(listPods, () => undefined, abort.signal)).rejects.toThrow('out of time');
    transport.close();
    expect(server.seen).toHaveLength(2);
  });

  it('waits no longer than the budget, however the server dawdles', async () => {
    await using server = await apiServer(() => {});
    // Longer than a test may take.
    const error = await failure(podNames(server, { deadlineMs: 3_600_000, budgetMs: 300 }));
    expect(error.kind).toBe('timeout');
  });
});

describe('a path that is none of a resource', () => {
  it('is named in a refusal, with the rule that allows it', async () => {
    await using server = await apiServer((_seen, response) => refuse(response, 403, 'Forbidden', 'no'));
    const transport = createTransport(server.connection, QUICK);
    const error = await failure(transport.send(nonResourceRequest('/apis/cluster.x-k8s.io'), () => undefined));
    transport.close();
    expect(error.message).toContain('"get /apis/cluster.x-k8s.io" at');
    expect(error.message).toContain('{nonResourceURLs: ["/apis/cluster.x-k8s.io"], verbs: ["get"]}');
  });

  it.each(['', '.', '..', '50%'])('has no step %j', (name) => {
    expect(() => urlOf(new URL('https://server/'), nonResourceRequest(`/apis/${name}/v1`))).toThrow(
      'cannot be a segment',
    );
  });
});

describe('paths', () => {
  it.each(['', '.', '..', 'a/b', '50%'])('have no step %j, which would be another path', (name) => {
    const base = new URL('https://server/');
    expect(() => urlOf(base, apiRequest('get', NODES.resource, { name }))).toThrow('cannot be a segment');
    expect(() => urlOf(base, apiRequest('list', POD_LISTS.resource, { namespace: name }))).toThrow(
      'cannot be a segment',
    );
  });

  it.each([
    [apiRequest('list', POD_LISTS.resource), '/api/v1/pods'],
    [apiRequest('list', { group: 'apps', version: 'v1', resource: 'replicasets' }), '/apis/apps/v1/replicasets'],
    [apiRequest('get', NODES.resource, { name: 'n 1' }), '/api/v1/nodes/n%201'],
    [
      apiRequest('patch', POD_LISTS.resource, { namespace: 'a', name: 'b', subresource: 'status' }),
      '/api/v1/namespaces/a/pods/b/status',
    ],
    [nonResourceRequest('/apis/cluster.x-k8s.io'), '/apis/cluster.x-k8s.io'],
  ])('%o', async (request, path) => {
    await using server = await apiServer((_seen, response) => json(response, 200, {}));
    const { server: base } = server.connection;
    const transport = createTransport({ ...server.connection, server: new URL('/clusters/x/', base) }, QUICK);
    await transport.send({ ...request, query: { fieldSelector: 'a=,b!=c' } }, () => undefined);
    transport.close();
    expect(server.seen[0]!.path).toBe(`/clusters/x${path}`);
    expect(server.seen[0]!.query.get('fieldSelector')).toBe('a=,b!=c');
  });
});
