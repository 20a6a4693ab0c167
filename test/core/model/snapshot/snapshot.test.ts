import { describe, expect, it } from 'vitest';
import { nodeName } from '../../../../core/model/values/names.ts';
import { selectorKeys } from '../../../../core/model/snapshot/pod-kind.ts';
import { type NodeInfo, Snapshot } from '../../../../core/model/snapshot/snapshot.ts';
import { container, node, pod, POD_SPEC } from '../../../builders.ts';

const KEYS = { keys: ['app'] };
const empty = (): Snapshot => new Snapshot(KEYS);
const small = pod('small', { requests: { cpu: 1, memory: '1Gi' } });

/** The visible state of a node. */
const state = (info: NodeInfo | undefined | null) =>
  info === undefined || info === null
    ? null
    : {
        free: [...info.free],
        pods: Object.fromEntries([...info.pods].map(([kind, count]) => [kind.id, count])),
        podCount: info.podCount,
      };

describe('a node', () => {
  it('has less free for each pod, and again more without it', () => {
    const snapshot = empty();
    const info = snapshot.addNode(node('n', { cpu: 4, memory: '8Gi', pods: 10 }), null);
    const before = state(info);
    const kind = snapshot.kindOf(small);
    snapshot.place(kind, info, 3);
    expect([...info.free]).toEqual([1_000, 5 * 2 ** 30, 7]);
    expect(info.podCount).toBe(3);
    snapshot.remove(kind, info, 3);
    expect(state(info)).toEqual(before);
  });

  it('may be overfull, and may hold what it has no resource for', () => {
    const snapshot = empty();
    const info = snapshot.addNode(node('n', { cpu: 1 }), null);
    snapshot.place(snapshot.kindOf(pod('p', { requests: { cpu: 3, 'nvidia.com/gpu': 1 } })), info);
    expect(info.free[0]).toBe(-2_000);
  });

  it('cannot be there twice, nor lose pods that it does not have', () => {
    const snapshot = empty();
    const info = snapshot.addNode(node('n'), null);
    expect(() => snapshot.addNode(node('n'), null)).toThrow('node n exists already');
    expect(() => snapshot.remove(snapshot.kindOf(small), info)).toThrow('1 pods of kind 0 are not on node n');
  });
});

describe('pods of a DaemonSet', () => {
  const controller = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'agent' };
  const pinnedTo = (name: string, zones: readonly string[] = []) => {
    const own = pod(`agent-${name}`, { requests: { cpu: 0.1 } });
    const matchExpressions = zones.length === 0 ? [] : [{ key: 'zone', operator: 'In', values: zones }];
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: [name] }];
    return { ...own, controller, spec: { ...own.spec, nodeAffinity: [{ matchExpressions, matchFields }] } };
  };
  const on = (name: string, zones?: readonly string[]) => ({ ...pinnedTo(name, zones), nodeName: nodeName(name) });

  it('are of one kind on all nodes, though each is made for its own', () => {
    const snapshot = empty();
    expect(snapshot.kindOf(on('a'))).toBe(snapshot.kindOf(on('b')));
    expect(snapshot.kindOf(on('a', ['1']))).toBe(snapshot.kindOf(on('b', ['1'])));
    expect(snapshot.kindOf(on('a', ['1']))).not.toBe(snapshot.kindOf(on('a', ['2'])));
  });

  it('are of as many kinds as they have nodes to go to while they wait', () => {
    const snapshot = empty();
    expect(snapshot.kindOf(pinnedTo('a'))).not.toBe(snapshot.kindOf(pinnedTo('b')));
  });
});

describe('fork', () => {
  it('and revert leave everything as it was, nested too', () => {
    const snapshot = empty();
    const kind = snapshot.kindOf(small);
    const n = snapshot.addNode(node('n', { cpu: 8 }), null);
    snapshot.place(kind, n, 2);
    const before = state(n);
    snapshot.fork();
    snapshot.place(kind, n);
    const between = state(n);
    snapshot.fork();
    const m = snapshot.addNode(node('m'), null);
    snapshot.place(kind, m);
    snapshot.removeNode(n);
    expect(snapshot.byName(nodeName('n'))).toBeUndefined();
    snapshot.revert();
    expect(state(snapshot.byName(nodeName('n')))).toEqual(between);
    expect(snapshot.byName(nodeName('m'))).toBeUndefined();
    expect(snapshot.nodes).toHaveLength(1);
    snapshot.revert();
    expect(state(n)).toEqual(before);
  });

  it('and commit keep what was done; an outer fork can still undo it', () => {
    const snapshot = empty();
    const kind = snapshot.kindOf(small);
    const n = snapshot.addNode(node('n', { cpu: 8 }), null);
    snapshot.fork();
    snapshot.fork();
    snapshot.place(kind, n);
    snapshot.commit();
    expect(n.podCount).toBe(1);
    snapshot.revert();
    expect(n.podCount).toBe(0);
  });

  it('must be there to be ended', () => {
    expect(() => empty().revert()).toThrow('without a fork');
    expect(() => empty().commit()).toThrow('without a fork');
  });
});

it('reports to observers what is there, every change, and the inverse of what is undone', () => {
  const snapshot = empty();
  const kind = snapshot.kindOf(small);
  snapshot.place(kind, snapshot.addNode(node('n'), null), 2);
  const told: string[] = [];
  snapshot.observe({
    nodeAdded: ({ name }) => told.push(`+${name}`),
    nodeRemoved: ({ name }) => told.push(`-${name}`),
    placed: (_, { name }, count) => told.push(`${name} ${count > 0 ? '+' : ''}${count}`),
  });
  expect(told.splice(0)).toEqual(['+n', 'n +2']);
  snapshot.fork();
  const m = snapshot.addNode(node('m'), null);
  snapshot.place(kind, m);
  snapshot.removeNode(snapshot.byName(nodeName('n'))!);
  expect(told.splice(0)).toEqual(['+m', 'm +1', 'n -2', '-n']);
  snapshot.revert();
  expect(told).toEqual(['+n', 'n +2', 'm -1', '-m']);
});

it('knows the number of pods of each kind, whatever is placed, removed or undone', () => {
  const snapshot = empty();
  const kind = snapshot.kindOf(small);
  expect(snapshot.countOf(kind)).toBe(0);
  const n = snapshot.addNode(node('n'), null);
  snapshot.place(kind, n, 2);
  snapshot.fork();
  snapshot.place(kind, snapshot.addNode(node('m'), null), 3);
  expect(snapshot.countOf(kind)).toBe(5);
  snapshot.removeNode(n);
  expect(snapshot.countOf(kind)).toBe(3);
  snapshot.revert();
  expect(snapshot.countOf(kind)).toBe(2);
});

describe('pods are of one kind', () => {
  const snapshot = empty();
  const same = (a: Parameters<typeof pod>[1], b: Parameters<typeof pod>[1]): boolean =>
    snapshot.kindOf(pod('a', a)) === snapshot.kindOf(pod('b', b));
  const ephemeral = { ...POD_SPEC, volumes: [{ kind: 'ephemeralClaim' as const, name: 'scratch' }] };
  const resize = { containers: [], allocated: null, actual: null, infeasible: true };

  it.each<[string, Parameters<typeof pod>[1], Parameters<typeof pod>[1], boolean]>([
    ['with the same spec', { requests: { cpu: 1 } }, { requests: { cpu: 1 } }, true],
    [
      'whatever order it was written in',
      { requests: { cpu: 1, memory: 1 } },
      { requests: { memory: 1, cpu: 1 } },
      true,
    ],
    ['not with other requests', { requests: { cpu: 1 } }, { requests: { cpu: 2 } }, false],
    ['not of another namespace', {}, { namespace: 'other' }, false],
    ['not with another value of a label that is selected', { labels: { app: 'a' } }, { labels: { app: 'b' } }, false],
    ['nor without it', { labels: { app: '' } }, {}, false],
    ['whatever other labels', { labels: { x: '1' } }, { labels: { x: '2' } }, true],
    ['not when one terminates', {}, { deletedAt: 1 as never }, false],
    ['not when one was resized', { node: 'n' }, { node: 'n', resize }, false],
    ['though one was resized and waits', {}, { resize }, true],
    ['not with claims named after the pod', { spec: ephemeral }, { spec: ephemeral }, false],
  ])('%s', (_, a, b, expected) => {
    expect(same(a, b)).toBe(expected);
  });
});

it('finds the label keys that selectors name', () => {
  const term = {
    topologyKey: 'zone',
    labelSelector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'tier', operator: 'Exists', values: [] }] },
    namespaces: [],
    namespaceSelector: null,
    matchLabelKeys: ['hash'],
    mismatchLabelKeys: ['tenant'],
  };
  const pods = [
    pod('p', { spec: { podAffinity: [term], containers: [container()] } }),
    pod('q', { spec: { preferredPodAntiAffinity: [{ weight: 1, term: { ...term, matchLabelKeys: ['soft'] } }] } }),
  ];
  expect(selectorKeys(pods).keys).toEqual(['app', 'hash', 'soft', 'tenant', 'tier']);
});
