import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { nodeName } from '../../../../core/model/values/names.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { NO_OBJECTS } from '../../../../core/model/scenario.ts';
import { PROTOBUF } from '../../../../providers/kubernetes/protobuf/envelope.ts';
import { NODES, OTHERS, POD_LISTS } from '../../../../providers/kubernetes/read/kinds.ts';
import { LISTED_RESOURCES } from '../../../../providers/kubernetes/read/reader.ts';
import { type ApiServer, type Handler, type Seen, apiServer, json, refuse } from '../api-server.ts';
import { KINDS } from '../kinds.ts';
import { type Json, encodePod } from '../protobuf/pod-encoder.ts';
import { envelope, listOf, map, message, quantities } from '../wire-encoder.ts';
import { memorySnapshots } from '../../../memory-snapshots.ts';
import { createClusterAccess, createClusterReader, type TestReaderOptions } from '../../../cluster-access.ts';

const pod = (name: string, status: Json = { phase: 'Running' }, extra: Json = {}): Json => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }], ...extra },
  status,
});

const WAITING = {
  phase: 'Pending',
  conditions: [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
};
const GATED = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] };

const node = (name: string): Buffer =>
  message(
    [1, message([1, name], ...map(11, { zone: 'a' }))],
    [3, message(...quantities(1, { cpu: '4', pods: '110' }))],
  );

const send = (response: ServerResponse, body: Buffer): void =>
  void response.writeHead(200, { 'content-type': PROTOBUF }).end(body);

const sendPods = (response: ServerResponse, pods: readonly Json[], continueToken = ''): void =>
  send(response, listOf('v1', 'Pod', pods.map(encodePod), continueToken));

/** Answers what the test does not care about: empty lists, and no ConfigMap. */
function otherwise({ path }: Seen, response: ServerResponse): void {
  const resource = path.split('/').at(-1)!;
  const kind = KINDS[resource];
  if (kind === undefined) {
    refuse(response, 404, 'NotFound', `${resource} not found`);
  } else {
    send(response, listOf('v1', kind, []));
  }
}

/** Lists some objects at the present version. Watches of them show no change, and end without a bookmark where they do not prove it. */
const versioned =
  (kind: string, items: () => readonly Buffer[], version: () => number, proves = true): Handler =>
  ({ query }, response) => {
    const resourceVersion = String(version());
    if (query.has('watch')) {
      const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion } } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(proves ? `${JSON.stringify(bookmark)}\n` : '');
    } else if (query.get('limit') === '1') {
      json(response, 200, { metadata: { resourceVersion }, items: [] });
    } else {
      send(response, listOf('v1', kind, items(), '', resourceVersion));
    }
  };

/** A server with these answers, by the last step of the path. */
const serving = (answers: Readonly<Record<string, Handler>>): Promise<ApiServer> =>
  apiServer((seen, response, count) => (answers[seen.path.split('/').at(-1)!] ?? otherwise)(seen, response, count));

/** Longer than a test may take. */
const PATIENT = { deadlineMs: 3_600_000, budgetMs: 3_600_000 };

const reading = ({ connection }: ApiServer, { transport, ...options }: TestReaderOptions = {}) =>
  createClusterReader(connection, { transport: { firstPauseMs: 5, ...PATIENT, ...transport }, ...options });

describe('reading a cluster', () => {
  it.each([
    [404, 'NotFound'],
    [403, 'Forbidden'],
  ])('has no ResourceSlices where the API server answers %i', async (code, reason) => {
    await using server = await serving({ resourceslices: (_seen, response) => refuse(response, code, reason, 'no') });
    const reader = reading(server, { configMaps: [] });
    expect((await reader.read()).objects.resourceSlices).toEqual([]);
    reader.close();
  });

  it('gives every kind, and asks for pods only when it has the nodes', async () => {
    let nodesSent = false;
    await using server = await serving({
      nodes: (_seen, response) => {
        setImmediate(() => {
          nodesSent = true;
          send(response, listOf('v1', 'Node', [node('n1'), node('n2')]));
        });
      },
      pods: (_seen, response) => {
        expect(nodesSent).toBe(true);
        sendPods(response, [pod('a'), pod('b', WAITING)]);
      },
      'cluster-autoscaler-priority-expander': (_seen, response) =>
        send(
          response,
          envelope(
            'v1',
            'ConfigMap',
            message(
              [1, message([1, 'cluster-autoscaler-priority-expander'], [3, 'kube-system'])],
              ...map(2, { priorities: '10: [.*]' }),
            ),
          ),
        ),
    });
    const { objects, rejected } = await reading(server).read();
    expect(rejected).toEqual([]);
    expect(objects.nodes).toMatchObject([
      { name: 'n1', labels: { zone: 'a' }, allocatable: { cpu: 4000, pods: 110 } },
      { name: 'n2' },
    ]);
    expect(objects.pods).toMatchObject([
      { name: 'a', unscheduled: null },
      { name: 'b', unscheduled: { reason: 'Unschedulable' } },
    ]);
    expect(objects.configMaps).toEqual([
      {
        namespace: 'kube-system',
        name: 'cluster-autoscaler-priority-expander',
        data: { priorities: '10: [.*]' },
        priorities: { ok: true, value: [{ priority: 10, patterns: ['.*'] }] },
      },
    ]);
    expect(Object.keys(objects).toSorted()).toEqual(Object.keys(NO_OBJECTS).toSorted());
  });

  it('is of the most recent versions: the API server may answer none of it from a cache that is behind', async () => {
    /** Metadata alone, to count and to know the version. */
    const orCount =
      (list: Handler): Handler =>
      (seen, response, count) =>
        seen.query.get('limit') === '1'
          ? json(response, 200, { metadata: { resourceVersion: '100' }, items: [{}] })
          : list(seen, response, count);
    await using server = await serving({
      n1: (_seen, response) => send(response, envelope('v1', 'Node', node('n1'))),
      nodes: orCount((_seen, response) => send(response, listOf('v1', 'Node', [node('n1')], '', '100'))),
      pods: orCount(({ query }, response) =>
        sendPods(response, [pod(query.has('continue') ? 'b' : 'a')], query.has('continue') ? '' : 'more'),
      ),
    });
    const reader = reading(server, { kept: { keptFrom: () => 1 } });
    for (const ask of [
      () => reader.read(),
      () => reader.readNodes(),
      () => reader.readNode(nodeName('n1')),
      () => reader.readNode(nodeName('n1'), undefined, 'alone'),
      () => reader.attachedVolumes(nodeName('n1')),
      () => reader.hasPendingPods(),
      () => reader.summarize(),
    ]) {
      const before = server.seen.length;
      await ask();
      const asked = server.seen.slice(before);
      expect(asked.length).toBeGreaterThan(0);
      for (const { path, query } of asked) {
        // Without a version, lists and objects are consistent reads: "Most Recent" of "Resource versions" in the API concepts.
        expect([path, query.get('resourceVersion'), query.get('resourceVersionMatch')]).toEqual([path, null, null]);
      }
    }
  });

  it.each([
    ['once, where the watch of the nodes proves itself', true, 1],
    ['again, where the nodes were listed after all', false, 2],
  ])('that keeps lists reads pods %s', async (_how, proves, reads) => {
    let version = 100;
    await using server = await serving({
      nodes: versioned(
        'Node',
        () => [node('n1')],
        () => version,
        proves,
      ),
      pods: versioned(
        'Pod',
        () => [encodePod(pod('a'))],
        () => version,
        proves,
      ),
    });
    const reader = reading(server, { kept: { keptFrom: ({ kind }) => (kind === 'Node' ? 1 : 2) } });
    await reader.read();
    version += 1;
    const before = server.seen.length;
    const { objects } = await reader.read();
    expect(objects).toMatchObject({ nodes: [{ name: 'n1' }], pods: [{ name: 'a' }] });
    const asked = server.seen.slice(before).map(({ path }) => path);
    expect(asked.filter((path) => path === '/api/v1/pods')).toHaveLength(reads);
    // The last read of the pods comes after the last of the nodes.
    expect(proves || asked.lastIndexOf('/api/v1/pods') > asked.lastIndexOf('/api/v1/nodes')).toBe(true);
  });

  it('that keeps lists counts the objects that a full list has otherwise', async () => {
    let version = 100;
    const nodes = ['n1'];
    const latest = () => version;
    await using server = await serving({ nodes: versioned('Node', () => nodes.map(node), latest) });
    const reader = reading(server, { kept: { keptFrom: () => 1, checkedEvery: 1 } });
    expect((await reader.read()).differing).toBeUndefined();
    version += 1;
    // Watches do not tell of it.
    nodes.push('n2');
    expect((await reader.read()).differing).toBeUndefined();
    version += 1;
    const { objects, differing } = await reader.read();
    expect(objects.nodes.map(({ name }) => name)).toEqual(nodes);
    expect(differing).toBe(1);
  });

  it('has the version of the API server, without which a read goes on', async () => {
    const version: Handler = (_seen, response) => json(response, 200, { gitVersion: 'v1.35.4' });
    await using server = await serving({ version });
    expect((await reading(server).read()).objects.kubernetesMinor).toBe(35);
    await using silent = await serving({});
    const warn = vi.fn();
    expect((await reading(silent, { warn }).read()).objects).not.toHaveProperty('kubernetesMinor');
    expect(warn).toHaveBeenCalledOnce();
  });

  it('asks for protobuf, in pages, and for unfinished pods only', async () => {
    await using server = await serving({});
    await reading(server).read();
    const pods = server.seen.filter(({ path }) => path === '/api/v1/pods');
    expect(pods).toHaveLength(1);
    expect(Object.fromEntries(pods[0]!.query)).toEqual({
      fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed',
      limit: '5000',
    });
    expect(pods[0]!.headers.accept).toBe('application/vnd.kubernetes.protobuf, application/json;q=0.5');
    const asked = server.seen.map(({ path }) => path.split('/').at(-1)!);
    expect(asked.toSorted()).toEqual(
      [
        ...LISTED_RESOURCES.map(({ resource }) => resource),
        'cluster-autoscaler-priority-expander',
        'version',
      ].toSorted(),
    );
  });

  it('asks for no PodDisruptionBudgets, and of controllers for DaemonSets alone, where the scope leaves them out', async () => {
    await using server = await serving({});
    await reading(server).read(undefined, { budgets: false, controllers: 'DaemonSets' });
    const asked = new Set(server.seen.map(({ path }) => path.split('/').at(-1)!));
    const left = LISTED_RESOURCES.map(({ resource }) => resource).filter((resource) => !asked.has(resource));
    expect(left.toSorted()).toEqual([
      'jobs',
      'poddisruptionbudgets',
      'replicasets',
      'replicationcontrollers',
      'statefulsets',
    ]);
  });

  it('follows pages to the last', async () => {
    await using server = await serving({
      pods: ({ query }, response) => {
        const next = { '': ['a', 'one'], one: ['b', 'two'], two: ['c', ''] }[query.get('continue') ?? '']!;
        sendPods(response, [pod(next[0]!)], next[1]);
      },
    });
    const { objects } = await reading(server, { pageSize: 1 }).read();
    expect(objects.pods.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    // Pods of different pages share what they have in common.
    expect(new Set(objects.pods.map(({ spec }) => spec)).size).toBe(1);
  });

  describe('whose objects are large', () => {
    const ROOM = 1024 * 1024;
    const encoded = (name: string, bytes: number): Buffer =>
      Buffer.from(
        encodePod({
          ...pod(name),
          metadata: { ...(pod(name)['metadata'] as Json), annotations: { a: 'x'.repeat(bytes) } },
        }),
      );
    const numbered = (index: number): string => `p${String(index).padStart(4, '0')}`;

    /** Pods in pages as an API server makes them: of as many as are asked for, from where the token says. */
    const inPages =
      (pods: readonly Uint8Array[]): Handler =>
      ({ query }, response) => {
        const from = Number(query.get('continue') ?? 0);
        const to = from + Number(query.get('limit'));
        send(response, listOf('v1', 'Pod', pods.slice(from, to), to < pods.length ? String(to) : ''));
      };
    const asked = ({ seen }: ApiServer): readonly (string | null)[] =>
      seen.flatMap(({ path, query }) => (path === '/api/v1/pods' ? [query.get('limit')] : []));

    it('reads 500 pods of a 64th of what there is room for in pages that there is room for', async () => {
      const template = encoded(numbered(0), ROOM / 64);
      const at = template.indexOf(numbered(0));
      const named = (name: string): Buffer =>
        Buffer.concat([template.subarray(0, at), Buffer.from(name), template.subarray(at + name.length)]);
      const packed = (body: Buffer): Buffer => gzipSync(body, { level: 1 });
      const tooLarge = packed(Buffer.alloc(ROOM + 1));
      await using server = await serving({
        pods: ({ query }, response) => {
          const from = Number(query.get('continue') ?? 0);
          const to = Math.min(500, from + Number(query.get('limit')));
          const page = (): Buffer =>
            listOf(
              'v1',
              'Pod',
              Array.from({ length: to - from }, (_, index) => named(numbered(from + index))),
              to < 500 ? String(to) : '',
            );
          response
            .writeHead(200, { 'content-type': PROTOBUF, 'content-encoding': 'gzip' })
            .end(to - from > 64 ? tooLarge : packed(page()));
        },
      });
      const { objects, rejected } = await reading(server, { transport: { maxBodyBytes: ROOM } }).read();
      expect(rejected).toEqual([]);
      expect(objects.pods.map(({ name }) => name)).toEqual(Array.from({ length: 500 }, (_, index) => numbered(index)));
      expect(asked(server).slice(0, 8)).toEqual(['5000', '2500', '1250', '625', '312', '156', '78', '39']);
      expect(asked(server)).toHaveLength(7 + Math.ceil(500 / 39));
    });

    it('grows its pages again behind them', async () => {
      const large = Array.from({ length: 8 }, (_, index) => encoded(numbered(index), 40_000));
      const small = Array.from({ length: 600 }, (_, index) => encoded(numbered(index + 8), 10));
      await using server = await serving({ pods: inPages([...large, ...small]) });
      const { objects } = await reading(server, { pageSize: 64, transport: { maxBodyBytes: 100_000 } }).read();
      expect(objects.pods.map(({ name }) => name)).toEqual(Array.from({ length: 608 }, (_, index) => numbered(index)));
      expect(asked(server).slice(0, 6)).toEqual(['64', '32', '16', '8', '4', '2']);
      expect(asked(server).at(-1)).toBe('64');
      expect(asked(server).length).toBeLessThan(30);
    });

    it.each([
      [0, 'the first of the list'],
      [3, 'the next one after default/p0002'],
    ])('says of one that there is no room for which it is: number %i', async (index, place) => {
      const pods = Array.from({ length: 5 }, (_, at) => encoded(numbered(at), at === index ? 60_000 : 10));
      await using server = await serving({ pods: inPages(pods) });
      await expect(reading(server, { transport: { maxBodyBytes: 50_000 } }).read()).rejects.toThrow(
        new RegExp(`"list pods" .* more than 50000 bytes\\. The page has a single Pod: ${place}, .*Reduce its size`),
      );
    });
  });

  it('begins a list anew when the server has forgotten its moment, and loses and doubles nothing', async () => {
    await using server = await serving({
      pods: ({ query }, response, count) => {
        if (query.get('continue') === null) {
          sendPods(response, [pod('a'), pod(count === 0 ? 'gone-meanwhile' : 'b')], 'rest');
        } else if (count === 1) {
          refuse(response, 410, 'Expired', 'The provided continue parameter is too old');
        } else {
          sendPods(response, [pod('c')]);
        }
      },
    });
    const { objects } = await reading(server).read();
    expect(objects.pods.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('gives up on a list whose pages name themselves as the next one', async () => {
    let pages = 0;
    await using server = await serving({
      pods: (_, response) => {
        pages += 1;
        sendPods(response, [pod('a')], pages % 2 === 0 ? 'even' : 'odd');
      },
    });
    await expect(reading(server).read()).rejects.toThrow(/does not come to an end: .* the same continue token twice/);
    expect(pages).toBeLessThan(20);
  });

  it('gives up on a list that is forgotten every time', async () => {
    await using server = await serving({
      pods: ({ query }, response) =>
        query.get('continue') === null
          ? sendPods(response, [pod('a')], 'rest')
          : refuse(response, 410, 'Expired', 'too old'),
    });
    await expect(reading(server).read()).rejects.toThrow(/Listing pods took longer .* 4 times\..*larger pages/);
  });

  it('reads JSON where a server has nothing else', async () => {
    await using server = await serving({
      pods: (_seen, response) =>
        json(response, 200, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [pod('a'), pod('b', WAITING)] }),
    });
    const { objects, rejected } = await reading(server).read();
    expect(rejected).toEqual([]);
    expect(objects.pods).toMatchObject([{ name: 'a' }, { name: 'b', unscheduled: { reason: 'Unschedulable' } }]);
  });

  it.each(['protobuf', 'JSON'])(
    'rejects an object that cannot be read, with its place, and goes on: %s',
    async (encoding) => {
      const broken = pod('broken', WAITING, { overhead: { cpu: 'a lot' } });
      await using server = await serving({
        pods: (_seen, response) =>
          encoding === 'JSON'
            ? json(response, 200, { kind: 'PodList', metadata: {}, items: [broken, pod('a')] })
            : sendPods(response, [broken, pod('a')]),
      });
      const { objects, rejected } = await reading(server).read();
      expect(objects.pods.map(({ name }) => name)).toEqual(['a']);
      expect(rejected).toMatchObject([{ place: 'Pod default/broken: spec.overhead.cpu', found: '"a lot"' }]);
    },
  );

  const needed = OTHERS.filter(({ noneBy }) => noneBy === undefined).map(({ resource }) => resource);
  it.each([NODES.resource, POD_LISTS.resource, ...needed])(
    'fails with the missing rule when $resource may not be listed',
    async ({ group, resource }) => {
      await using server = await serving({
        [resource]: (_seen, response) => refuse(response, 403, 'Forbidden', `cannot list ${resource}`),
      });
      await expect(reading(server).read()).rejects.toThrow(
        `Add the rule {apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["list"]}`,
      );
    },
  );

  it('stops the other lists when one fails', async () => {
    await using server = await serving({
      nodes: () => {},
      jobs: (_seen, response) => refuse(response, 403, 'Forbidden', 'no'),
    });
    await expect(reading(server).read()).rejects.toThrow('jobs');
  });

  it('stops when the caller gives up', async () => {
    const abort = new AbortController();
    await using server = await serving({ nodes: () => abort.abort(new Error('out of time')) });
    await expect(reading(server).read(abort.signal)).rejects.toThrow('out of time');
  });

  it('asks for the ConfigMap of priorities in the namespace that is given', async () => {
    await using server = await serving({});
    const access = { namespace: 'autoscaling', now: () => epochMs(0), warn: () => {} };
    await createClusterAccess(server.connection, access).reader.read();
    expect(server.seen.flatMap(({ path }) => (path.includes('configmaps') ? path : []))).toEqual([
      '/api/v1/namespaces/autoscaling/configmaps/cluster-autoscaler-priority-expander',
    ]);
  });

  it.each([
    ['nodes, pods and ReplicaSets, each long enough', 8, ['nodes', 'pods', 'replicasets']],
    ['nodes alone, of which a tenth is enough', 20, ['nodes']],
    ['nothing, as all lists are short', 30, []],
  ])('keeps, by the option incrementalReadsFrom, %s', async (_what, incrementalReadsFrom, watched) => {
    let version = 100;
    const latest = () => version;
    const replicaSets = ['r1', 'r2'].map((name) =>
      message([1, message([1, name], [3, 'default'], [5, `uid-${name}`])]),
    );
    await using server = await serving({
      nodes: versioned('Node', () => ['n1', 'n2'].map(node), latest),
      pods: versioned('Pod', () => 'abcdefgh'.split('').map((name) => encodePod(pod(name))), latest),
      replicasets: versioned('ReplicaSet', () => replicaSets, latest),
    });
    const { reader } = createClusterAccess(server.connection, {
      namespace: 'kube-system',
      now: () => epochMs(0),
      warn: () => {},
      incrementalReads: true,
      incrementalReadsFrom,
    });
    await reader.read();
    version += 1;
    await reader.read();
    const watches = server.seen.filter(({ query }) => query.has('watch')).map(({ path }) => path.split('/').at(-1)!);
    expect(watches.toSorted()).toEqual(watched);
  });

  it('stores the lists that it keeps, with which the reader of another process begins', async () => {
    const version = 100;
    await using server = await serving({
      nodes: versioned(
        'Node',
        () => ['n1', 'n2'].map(node),
        () => version,
      ),
      pods: versioned(
        'Pod',
        () => 'abcdefgh'.split('').map((name) => encodePod(pod(name))),
        () => version,
      ),
      namespaces: (seen, response) =>
        seen.query.has('fieldSelector')
          ? json(response, 200, { items: [{ metadata: { name: 'kube-system', uid: 'uid' } }] })
          : otherwise(seen, response),
      version: (_seen, response) => json(response, 200, { gitVersion: 'v1.35.4' }),
    });
    const stored = new Map<string, Uint8Array>();
    const told: string[] = [];
    const process = (incrementalReads: boolean) =>
      createClusterAccess(server.connection, {
        namespace: 'kube-system',
        now: () => epochMs(1_000_000),
        warn: (message) => expect.fail(message),
        incrementalReads,
        incrementalReadsFrom: 8,
        snapshots: {
          store: memorySnapshots(stored),
          cluster: 'web',
          used: (list, use) => told.push(`${list}: ${use}`),
          stored: () => told.push('stored'),
        },
      }).reader;
    const listed = (from: number): readonly string[] =>
      server.seen
        .slice(from)
        .filter(({ query }) => query.get('limit') === '5000')
        .map(({ path }) => path.split('/').at(-1)!);
    const without = process(false);
    await without.read();
    await without.saveSnapshots!();
    expect([...stored.keys()]).toEqual([]);
    const first = process(true);
    const seen = await first.read();
    await first.saveSnapshots!();
    expect([...stored.keys()].toSorted()).toEqual(['nodes', 'pods']);
    // Lists that are too short to be kept have none, and there is nothing to tell of them.
    expect(told.splice(0).toSorted()).toEqual(['nodes: NoSnapshot', 'pods: NoSnapshot', 'stored', 'stored']);
    const from = server.seen.length;
    expect(await process(true).read()).toEqual(seen);
    expect(told.toSorted()).toEqual(['nodes: Used', 'pods: Used']);
    expect(listed(0)).toEqual(expect.arrayContaining(['nodes', 'pods']));
    expect(listed(from)).not.toContain('nodes');
    expect(listed(from)).not.toContain('pods');
    expect(listed(from)).toContain('replicasets');
  });

  it('asks for the ConfigMaps it is told, and none else', async () => {
    await using server = await serving({});
    await reading(server, { configMaps: [] }).read();
    expect(server.seen.filter(({ path }) => path.includes('configmaps'))).toEqual([]);
  });
});

describe('asking whether a pod is pending', () => {
  it.each([
    ['none waits', [], false],
    ['one is unschedulable', [pod('a', WAITING)], true],
    ['one is held back by a gate', [pod('a', GATED)], false],
    ['no scheduler has evaluated it yet', [pod('a', { phase: 'Pending' })], false],
    ['one of several is unschedulable', [pod('a', GATED), pod('b', WAITING)], true],
  ])('%s', async (_, pods, expected) => {
    await using server = await serving({ pods: (_seen, response) => sendPods(response, pods) });
    expect(await reading(server).hasPendingPods()).toBe(expected);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]!.query.get('fieldSelector')).toBe('spec.nodeName=,status.phase=Pending');
  });

  it('reads further pages only until the answer is known', async () => {
    await using server = await serving({
      pods: (_seen, response, count) => sendPods(response, [pod('a', count === 1 ? WAITING : GATED)], 'more'),
    });
    expect(await reading(server).hasPendingPods()).toBe(true);
    expect(server.seen).toHaveLength(2);
  });

  it('says yes when it cannot know', async () => {
    await using server = await serving({
      pods: ({ query }, response) =>
        query.get('continue') === null
          ? sendPods(response, [pod('a', GATED)], 'more')
          : refuse(response, 410, 'Expired', ''),
    });
    expect(await reading(server).hasPendingPods()).toBe(true);
  });
});

describe('a change check', () => {
  /** The API server's answer to a list of which one object was asked for. */
  const pageOfOne = (response: ServerResponse, total: number | null): void => {
    const more = total === null ? { continue: 'x' } : total > 1 ? { continue: 'x', remainingItemCount: total - 1 } : {};
    json(response, 200, { metadata: more, items: total === 0 ? [] : [{ metadata: { name: 'first' } }] });
  };
  const glancing = (pending: readonly Json[], nodes: number | null, pods: number) =>
    serving({
      nodes: (_seen, response) => pageOfOne(response, nodes),
      pods: ({ query }, response) =>
        query.get('fieldSelector') === null ? pageOfOne(response, pods) : sendPods(response, pending),
    });

  it.each([
    ['of an empty cluster', [], 0, 0, false],
    ['of a small one', [], 1, 2, false],
    ['with an unschedulable pod', [pod('a', WAITING)], 100, 3_000, true],
    ['with a pod that no scheduler has tried', [pod('a', { phase: 'Pending' })], 3, 9, true],
    ['with a pod that a gate holds back', [pod('a', GATED)], 3, 9, false],
  ])(
    'counts objects by pages of one, and finds pods that may want a node: %s',
    async (_, pending, nodes, pods, waiting) => {
      await using server = await glancing(pending, nodes, pods);
      expect(await reading(server).summarize()).toEqual({ waiting, nodes, pods });
      const counts = server.seen.filter(({ query }) => query.get('fieldSelector') === null);
      expect(counts.map(({ query }) => [...query.entries()])).toEqual([[['limit', '1']], [['limit', '1']]]);
    },
  );

  it('fails where the API server does not say how many there are', async () => {
    await using server = await glancing([], null, 3);
    await expect(reading(server).summarize()).rejects.toThrow('does not say how many nodes there are');
  });
});

describe('reading one node', () => {
  const ownedBy = (name: string, apiVersion: string, kind: string): Json => ({
    ...pod(name, { phase: 'Running' }, { nodeName: 'n1' }),
    metadata: {
      ...(pod(name)['metadata'] as Json),
      ownerReferences: [{ apiVersion, kind, name: 'web', uid: 'uid-web', controller: true }],
    },
  });

  it("asks for Kubernetes' own controllers of its pods, in their namespace, and for none of another API group", async () => {
    await using server = await serving({
      n1: (_seen, response) => send(response, envelope('v1', 'Node', node('n1'))),
      pods: (_seen, response) =>
        sendPods(response, [
          ownedBy('a', 'apps/v1', 'StatefulSet'),
          ownedBy('b', 'apps.kruise.io/v1beta1', 'StatefulSet'),
          ownedBy('c', 'apps.kruise.io/v1alpha1', 'DaemonSet'),
        ]),
    });
    await reading(server).readNode(nodeName('n1'));
    expect(server.seen.flatMap(({ path }) => (path.endsWith('/web') ? path : []))).toEqual([
      '/apis/apps/v1/namespaces/default/statefulsets/web',
    ]);
  });

  const claiming = (name: string, claimName: string): Json =>
    pod(name, { phase: 'Running' }, { nodeName: 'n1', volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] });
  const named = (name: string, owner: string): Json => ({
    ...pod(name, { phase: 'Running' }, { nodeName: 'n1' }),
    metadata: {
      ...(pod(name)['metadata'] as Json),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: 'u', controller: true }],
    },
  });
  const n1: Handler = (_seen, response) => send(response, envelope('v1', 'Node', node('n1')));

  it.each(['a/b', '50%', '..', '.', 'x/../../secrets', 'Web', 'a_b', ' ', 'a'.repeat(254), 'a..b', 'ü'])(
    'asks for no controller and no claim of the name %j, which no object can have',
    async (name) => {
      await using server = await serving({
        n1,
        pods: (_seen, response) => sendPods(response, [named('a', name), claiming('b', name)]),
      });
      const { objects, rejected } = await reading(server).readNode(nodeName('n1'));
      expect(rejected).toEqual([]);
      expect(objects.pods).toHaveLength(2);
      expect(objects.controllers).toEqual([]);
      expect(server.seen.map(({ path }) => path)).toEqual([
        '/api/v1/nodes/n1',
        '/api/v1/pods',
        '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      ]);
    },
  );

  it.each([
    [400, 'BadRequest'],
    [403, 'Forbidden'],
  ])('goes on where one object is refused with %i, and says which', async (status, reason) => {
    const refused: Handler = (_seen, response) => refuse(response, status, reason, `no, ${'x'.repeat(400)}`);
    await using server = await serving({
      n1,
      pods: (_seen, response) => sendPods(response, [named('a', 'web.1'), claiming('b', 'data')]),
      'web.1': refused,
      data: refused,
    });
    const { objects, rejected } = await reading(server).readNode(nodeName('n1'));
    expect(objects.pods).toHaveLength(2);
    expect(rejected.map(({ place }) => place)).toEqual([
      'ReplicaSet default/web.1',
      'PersistentVolumeClaim default/data',
    ]);
    expect(rejected[0]!.found).toContain('no, xxx');
    expect(rejected[0]!.found.length).toBeLessThanOrEqual(300);
  });

  it('takes an object that is gone for no object', async () => {
    await using server = await serving({
      n1,
      pods: (_seen, response) => sendPods(response, [named('a', 'web'), claiming('b', 'data')]),
    });
    const { objects, rejected } = await reading(server).readNode(nodeName('n1'));
    expect([objects.controllers, objects.persistentVolumeClaims, rejected]).toEqual([[], [], []]);
  });

  it.each(['n1', 'pods', 'poddisruptionbudgets'])(
    'fails where %s is forbidden, and says what is missing',
    async (step) => {
      await using server = await serving({
        n1,
        pods: (_seen, response) => sendPods(response, [named('a', 'web')]),
        [step]: (_seen, response) => refuse(response, 403, 'Forbidden', 'no such right'),
      });
      await expect(reading(server).readNode(nodeName('n1'))).rejects.toThrow(/ClusterRole|verbs/);
    },
  );

  it('asks for nothing else where the node alone is wanted', async () => {
    await using server = await serving({ n1 });
    const { objects } = await reading(server).readNode(nodeName('n1'), undefined, 'alone');
    expect(objects.nodes).toMatchObject([{ name: 'n1' }]);
    expect(server.seen.map(({ path }) => path)).toEqual(['/api/v1/nodes/n1']);
  });
});
