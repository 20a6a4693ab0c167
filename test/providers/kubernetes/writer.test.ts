import { describe, expect, it } from 'vitest';
import { nodeName } from '../../../core/model/values/names.ts';
import type { Taint } from '../../../core/model/cluster/node.ts';
import { NO_CHANGE, type NodeChange } from '../../../core/model/cluster/node-change.ts';
import type { EvictOutcome } from '../../../core/model/answers.ts';
import { createTransport } from '../../../providers/kubernetes/client/transport.ts';
import { createClusterWriter } from '../../../providers/kubernetes/writer.ts';
import { NOW } from '../../scenario-builders.ts';
import { type ApiServer, apiServer, type Handler, json, refuse } from './api-server.ts';

const HARD = { key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' };
const OTHER = { key: 'team', value: 'a', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' };
const FREE = { removeTaints: [{ key: HARD.key, effect: null }] };
const NODE = '/api/v1/nodes/n1';

const rawNode = (spec: object = {}, uid = 'u1') => ({
  kind: 'Node',
  metadata: { name: 'n1', uid, resourceVersion: '7', labels: { zone: 'a' }, annotations: { kept: 'yes' } },
  spec,
});

function writerFor({ connection }: ApiServer) {
  const warnings: string[] = [];
  const transport = createTransport(connection, { firstPauseMs: 5, budgetMs: 2_000 });
  return {
    writer: createClusterWriter(transport, { now: () => NOW, warn: (message) => warnings.push(message) }),
    warnings,
    [Symbol.dispose]: () => transport.close(),
  };
}

/** Serves a node, and answers patches one after another. */
const withNode =
  (node: unknown, patches: readonly number[] = [200]): Handler =>
  ({ method }, response, count) => {
    if (method === 'GET') {
      json(response, 200, node);
      return;
    }
    const status = patches[Math.min(count, patches.length - 1)]!;
    if (status === 200) {
      json(response, 200, node);
    } else {
      refuse(response, status, status === 409 ? 'Conflict' : 'Forbidden', 'no');
    }
  };

describe('changing a node', () => {
  it.each<{
    name: string;
    spec: object;
    change: Partial<NodeChange>;
    patch: { readonly spec?: object; readonly metadata?: object } | null;
  }>([
    {
      name: 'puts a taint behind those that are there',
      spec: { taints: [OTHER] },
      change: { addTaints: [HARD] },
      patch: { spec: { taints: [OTHER, HARD] } },
    },
    {
      name: 'gives a taint of the same key and effect its new value, in its place',
      spec: { taints: [{ ...HARD, value: '0' }, OTHER] },
      change: { addTaints: [HARD] },
      patch: { spec: { taints: [HARD, OTHER] } },
    },
    {
      name: 'takes off taints of a key, whatever their effect',
      spec: { taints: [HARD, OTHER, { ...HARD, effect: 'NoExecute' }] },
      change: { removeTaints: [{ key: HARD.key, effect: null }] },
      patch: { spec: { taints: [OTHER] } },
    },
    {
      name: 'takes off one effect and leaves the other',
      spec: { taints: [HARD, { ...HARD, effect: 'NoExecute' }] },
      change: { removeTaints: [{ key: HARD.key, effect: 'NoExecute' }] },
      patch: { spec: { taints: [HARD] } },
    },
    { name: 'cordons', spec: {}, change: { unschedulable: true }, patch: { spec: { unschedulable: true } } },
    {
      name: 'uncordons',
      spec: { unschedulable: true },
      change: { unschedulable: false },
      patch: { spec: { unschedulable: false } },
    },
    {
      name: 'sets and removes labels and annotations, only those that differ',
      spec: {},
      change: { labels: { zone: 'a', lb: 'out', absent: null }, annotations: { kept: null } },
      patch: { metadata: { labels: { lb: 'out' }, annotations: { kept: null } } },
    },
    {
      name: 'writes nothing where the node is so already',
      spec: { taints: [HARD], unschedulable: true },
      change: {
        addTaints: [HARD],
        unschedulable: true,
        labels: { zone: 'a' },
        removeTaints: [{ key: 'x', effect: null }],
      },
      patch: null,
    },
  ])('$name', async ({ spec, change, patch }) => {
    await using server = await apiServer(withNode(rawNode(spec)));
    using access = writerFor(server);
    expect(await access.writer.changeNode(nodeName('n1'), 'u1', { ...NO_CHANGE, ...change })).toEqual({ kind: 'done' });
    const written = server.seen.filter(({ method }) => method === 'PATCH');
    const bodies = written.map(({ body }) => JSON.parse(body) as object);
    // The version makes the API server refuse it when another client was faster.
    const named = { uid: 'u1', resourceVersion: '7' };
    expect(bodies).toEqual(patch === null ? [] : [{ ...patch, metadata: { ...named, ...patch.metadata } }]);
    expect(written.every(({ headers }) => headers['content-type'] === 'application/merge-patch+json')).toBe(true);
  });

  it('reads the node again when another client was faster', async () => {
    await using server = await apiServer(withNode(rawNode(), [409, 409, 200]));
    using access = writerFor(server);
    const change = { ...NO_CHANGE, addTaints: [HARD] };
    expect(await access.writer.changeNode(nodeName('n1'), 'u1', change)).toEqual({ kind: 'done' });
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET', 'PATCH', 'GET', 'PATCH']);
  });

  it.each<{
    what: string;
    known: readonly Taint[];
    change: Partial<NodeChange>;
    patches: readonly number[];
    asked: string;
  }>([
    {
      what: 'reads no node to take taints off that it is known to have',
      known: [OTHER, HARD],
      change: FREE,
      patches: [200],
      asked: 'PATCH',
    },
    {
      what: 'reads the node where it has other taints by now',
      known: [HARD],
      change: FREE,
      patches: [422, 200],
      asked: 'PATCH GET PATCH',
    },
    {
      what: 'reads the node where it is not known to have the taint',
      known: [OTHER],
      change: FREE,
      patches: [200],
      asked: 'GET PATCH',
    },
    {
      what: 'reads the node where there is more to change',
      known: [HARD],
      change: { ...FREE, unschedulable: false },
      patches: [200],
      asked: 'GET PATCH',
    },
  ])('$what', async ({ known, change, patches, asked }) => {
    await using server = await apiServer(withNode(rawNode({ taints: [OTHER, HARD] }), patches));
    using access = writerFor(server);
    const outcome = await access.writer.changeNode(nodeName('n1'), 'u1', {
      ...NO_CHANGE,
      ...change,
      knownTaints: known,
    });
    expect(outcome).toEqual({ kind: 'done' });
    expect(server.seen.map(({ method }) => method).join(' ')).toBe(asked);
  });

  it('tells the API server which taints it takes off, and of which node', async () => {
    await using server = await apiServer(withNode(rawNode()));
    using access = writerFor(server);
    const known = [HARD, OTHER, { ...HARD, effect: 'NoExecute' }];
    await access.writer.changeNode(nodeName('n1'), 'u1', { ...NO_CHANGE, ...FREE, knownTaints: known });
    const [{ body, headers }] = server.seen as [(typeof server.seen)[number]];
    expect(headers['content-type']).toBe('application/json-patch+json');
    expect(JSON.parse(body)).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'u1' },
      { op: 'test', path: '/spec/taints/2/key', value: HARD.key },
      { op: 'test', path: '/spec/taints/2/effect', value: 'NoExecute' },
      { op: 'remove', path: '/spec/taints/2' },
      { op: 'test', path: '/spec/taints/0/key', value: HARD.key },
      { op: 'test', path: '/spec/taints/0/effect', value: 'NoSchedule' },
      { op: 'remove', path: '/spec/taints/0' },
    ]);
  });

  it.each([404, 403, 503])('answers HTTP %i to a change of a known node as to any other', async (status) => {
    await using server = await apiServer((_seen, response) => refuse(response, status, 'Reason', 'no'));
    using access = writerFor(server);
    const outcome = async (known?: readonly Taint[]): Promise<string> => {
      const change = { ...NO_CHANGE, ...FREE };
      const changing = access.writer.changeNode(nodeName('n1'), 'u1', { ...change, knownTaints: known });
      // Which request was the first is said, too.
      return JSON.stringify(await changing.catch(({ message }: Error) => message)).replaceAll(
        /GET|PATCH|get|patch/g,
        '',
      );
    };
    expect(await outcome([HARD])).toEqual(await outcome());
  });

  it('gives up when another client is always faster, and says so', async () => {
    await using server = await apiServer(withNode(rawNode(), [409]));
    using access = writerFor(server);
    const change = { ...NO_CHANGE, addTaints: [HARD] };
    expect(await access.writer.changeNode(nodeName('n1'), 'u1', change)).toMatchObject({
      kind: 'failed',
      code: 'Conflict',
      message: expect.stringContaining('9 times in a row'),
    });
  });

  it('leaves another node of the same name alone', async () => {
    await using server = await apiServer(withNode(rawNode({}, 'u2')));
    using access = writerFor(server);
    const change = { ...NO_CHANGE, addTaints: [HARD] };
    expect(await access.writer.changeNode(nodeName('n1'), 'u1', change)).toEqual({ kind: 'gone' });
    expect(server.seen).toHaveLength(1);
  });

  it('says that a node is gone', async () => {
    await using server = await apiServer((_seen, response) =>
      refuse(response, 404, 'NotFound', 'nodes "n1" not found'),
    );
    using access = writerFor(server);
    expect(await access.writer.changeNode(nodeName('n1'), 'u1', NO_CHANGE)).toEqual({ kind: 'gone' });
  });

  it('names the rule that is missing when it may not', async () => {
    await using server = await apiServer(withNode(rawNode(), [403]));
    using access = writerFor(server);
    const change = { ...NO_CHANGE, addTaints: [HARD] };
    expect(await access.writer.changeNode(nodeName('n1'), 'u1', change)).toMatchObject({
      kind: 'failed',
      code: 'Forbidden',
      message: expect.stringContaining('{apiGroups: [""], resources: ["nodes"], verbs: ["patch"]}'),
    });
    expect(server.seen.some(({ path }) => path !== NODE)).toBe(false);
  });

  it('rejects while the API server has trouble, for the caller to try again', async () => {
    await using server = await apiServer((_seen, response) => refuse(response, 503, 'ServiceUnavailable', 'starting'));
    using access = writerFor(server);
    await expect(access.writer.changeNode(nodeName('n1'), 'u1', NO_CHANGE)).rejects.toThrow(/HTTP 503: starting/);
  });
});

const POD = { namespace: 'shop', name: 'web-1', uid: 'p1' };
const containing = (text: string): string => expect.stringContaining(text);
/** The words of an admission webhook, which chooses the status. */
const DENIED = 'admission webhook "guard.example" denied the request: not before noon';
/** Without advice about rights. */
const REASON: string = expect.stringMatching(/not before noon\)\.$/);

describe('evicting a pod', () => {
  const budget = (message: string, details: object = {}) => ({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'TooManyRequests',
    code: 429,
    message,
    details: {
      causes: [{ reason: 'DisruptionBudget', message: 'needs 2 healthy pods and has 2 currently' }],
      ...details,
    },
  });

  it.each<{ name: string; status: number; body: object; headers?: Record<string, string>; expected: EvictOutcome }>([
    { name: 'is done', status: 201, body: { kind: 'Status', status: 'Success' }, expected: { kind: 'done' } },
    {
      name: 'is refused by a budget',
      status: 429,
      body: budget("Cannot evict pod as it would violate the pod's disruption budget."),
      expected: { kind: 'refused', message: containing('disruption budget'), retryAfterSeconds: null },
    },
    {
      name: 'is refused while the budget is being worked out, with a time to come back at',
      status: 429,
      body: budget('The disruption budget web is still being processed by the server.', { retryAfterSeconds: 10 }),
      expected: { kind: 'refused', message: containing('still being processed'), retryAfterSeconds: 10 },
    },
    {
      name: 'is throttled by a server that is busy, which says nothing about the pod',
      status: 429,
      body: {
        kind: 'Status',
        reason: 'TooManyRequests',
        code: 429,
        message: 'Too many requests, please try again later.',
      },
      headers: { 'retry-after': '2' },
      expected: { kind: 'throttled', message: containing('try again later'), retryAfterSeconds: 2 },
    },
    {
      name: 'cannot be where several budgets cover the pod',
      status: 500,
      body: {
        kind: 'Status',
        reason: 'InternalError',
        code: 500,
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
      expected: { kind: 'failed', code: 'SeveralBudgets', message: containing('more than one PodDisruptionBudget') },
    },
    {
      name: 'is put off while the server has trouble',
      status: 503,
      body: { kind: 'Status', reason: 'ServiceUnavailable', code: 503, message: 'etcd is away' },
      expected: { kind: 'throttled', message: containing('etcd is away'), retryAfterSeconds: null },
    },
    {
      name: 'is of no use when the pod is gone',
      status: 404,
      body: { kind: 'Status', reason: 'NotFound', code: 404, message: 'pods "web-1" not found' },
      expected: { kind: 'gone' },
    },
    {
      name: 'leaves another pod of the same name alone',
      status: 409,
      body: {
        kind: 'Status',
        reason: 'Conflict',
        code: 409,
        message: 'the UID in the precondition (p1) does not match the UID in record (p2)',
      },
      expected: { kind: 'gone' },
    },
    {
      name: 'is put off when others wanted to change the same budget',
      status: 409,
      body: { kind: 'Status', reason: 'Conflict', code: 409, message: 'the object has been modified' },
      expected: { kind: 'throttled', message: containing('modified'), retryAfterSeconds: null },
    },
    ...[403, 404, 409, 429, 500].map((status) => ({
      name: `is refused by a webhook, with ${status}`,
      status,
      body: { kind: 'Status', code: status, message: DENIED },
      expected: { kind: 'refused' as const, message: REASON, retryAfterSeconds: null },
    })),
    {
      name: 'is not allowed to us',
      status: 403,
      body: { kind: 'Status', reason: 'Forbidden', code: 403, message: 'no' },
      expected: {
        kind: 'failed',
        code: 'Forbidden',
        message: containing('resources: ["pods/eviction"], verbs: ["create"]'),
      },
    },
  ])('$name', async ({ status, body, headers = {}, expected }) => {
    await using server = await apiServer((_seen, response) => json(response, status, body, headers));
    using access = writerFor(server);
    expect(await access.writer.evict(POD, 45)).toEqual(expected);
    // The caller has a pace of its own.
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/shop/pods/web-1/eviction' });
    expect(JSON.parse(server.seen[0]!.body)).toEqual({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { namespace: 'shop', name: 'web-1' },
      deleteOptions: { gracePeriodSeconds: 45, preconditions: { uid: 'p1' } },
    });
  });

  it('leaves the pod its own grace period where none is given', async () => {
    await using server = await apiServer((_seen, response) => json(response, 201, {}));
    using access = writerFor(server);
    await access.writer.evict(POD, null);
    expect(JSON.parse(server.seen[0]!.body)).toMatchObject({ deleteOptions: { preconditions: { uid: 'p1' } } });
    expect(server.seen[0]!.body).not.toContain('gracePeriodSeconds');
  });
});

describe('recording an event', () => {
  const event = {
    about: { kind: 'Node', name: nodeName('n1'), uid: 'u1' },
    type: 'Normal',
    reason: 'ScaleDown',
    message: 'x'.repeat(2_000),
  } as const;

  it('writes what kubectl describe shows, no longer than the server takes', async () => {
    await using server = await apiServer((_seen, response) => json(response, 201, {}));
    using access = writerFor(server);
    await access.writer.recordEvent(event);
    expect(server.seen[0]).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/default/events' });
    expect(JSON.parse(server.seen[0]!.body)).toMatchObject({
      kind: 'Event',
      metadata: { namespace: 'default', name: expect.stringMatching(/^n1\.[0-9a-f]+$/) },
      involvedObject: { kind: 'Node', name: 'n1', uid: 'u1' },
      type: 'Normal',
      reason: 'ScaleDown',
      message: expect.stringMatching(/^x{1,1023}…?$/),
      source: { component: 'outrigger' },
      firstTimestamp: '2026-01-01T12:00:00Z',
    });
  });

  it('goes on without when it cannot, and says so', async () => {
    await using server = await apiServer((_seen, response) => refuse(response, 403, 'Forbidden', 'no'));
    using access = writerFor(server);
    await access.writer.recordEvent(event);
    expect(access.warnings).toEqual([expect.stringMatching(/An event \(ScaleDown\) could not be recorded:.*"create"/)]);
  });
});

describe('nominating a pod', () => {
  const POD = { namespace: 'shop', name: 'web-1', uid: 'u1' };

  it('patches its status alone, if it still is the pod that is meant', async () => {
    await using server = await apiServer((_, response) => json(response, 200, {}));
    using at = writerFor(server);
    expect(await at.writer.nominate(POD, nodeName('n1'))).toEqual({ kind: 'done' });
    const [request] = server.seen;
    expect(request).toMatchObject({ method: 'PATCH', path: '/api/v1/namespaces/shop/pods/web-1/status' });
    expect(JSON.parse(request!.body)).toEqual({ metadata: { uid: 'u1' }, status: { nominatedNodeName: 'n1' } });
  });

  it('takes the nomination back', async () => {
    await using server = await apiServer((_, response) => json(response, 200, {}));
    using at = writerFor(server);
    expect(await at.writer.nominate(POD, null)).toEqual({ kind: 'done' });
    expect(JSON.parse(server.seen[0]!.body)).toEqual({ metadata: { uid: 'u1' }, status: { nominatedNodeName: null } });
  });

  it.each([
    [404, 'NotFound', 'gone'],
    // Another pod of that name, and one that has a node by now.
    [409, 'Conflict', 'gone'],
    [422, 'Invalid', 'gone'],
    [403, 'Forbidden', 'failed'],
  ])('that the API server answers with %i %s for is %s', async (status, reason, kind) => {
    await using server = await apiServer((_, response) => refuse(response, status, reason, 'no'));
    using at = writerFor(server);
    expect(await at.writer.nominate(POD, nodeName('n1'))).toMatchObject({ kind });
  });
});
