import { describe, expect, it } from 'vitest';
import { nodeName } from '../../../../core/model/values/names.ts';
import type { Node } from '../../../../core/model/cluster/node.ts';
import type { Pod, PodAffinityTerm } from '../../../../core/model/cluster/pod.ts';
import type { Labels } from '../../../../core/model/cluster/selectors.ts';
import type { Namespace } from '../../../../core/model/cluster/workloads.ts';
import { clusterSnapshot } from '../../../../core/scheduling/cluster-snapshot.ts';
import { createScheduler } from '../../../../core/scheduling/scheduler.ts';
import { clusterObjects, node, pod, selector, affinityTerm } from '../../../builders.ts';
import { fit, rooms, verdicts } from '../fit.ts';

const term = (matchLabels: Labels, extra: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  ...affinityTerm('zone', selector(matchLabels)),
  ...extra,
});
const near = (labels: Labels, ...podAffinity: readonly PodAffinityTerm[]): Pod =>
  pod('p', { labels, spec: { podAffinity } });
const far = (labels: Labels, ...podAntiAffinity: readonly PodAffinityTerm[]): Pod =>
  pod('p', { labels, spec: { podAntiAffinity } });

/** Two zones of two nodes each, and a node x of none. */
const NODES: readonly Node[] = [
  ...['a1', 'a2', 'b1', 'b2'].map((name) => node(name, {}, { labels: { zone: name[0]! } })),
  node('x'),
];
const NAMESPACES: readonly Namespace[] = [
  { name: 'default', labels: { team: 'red' } },
  { name: 'other', labels: { team: 'blue', env: 'prod' } },
];
const WEB = { app: 'web' };
const feasible = (pending: Pod, pods: readonly Pod[] = []): string =>
  Object.entries(fit(pending, { nodes: NODES, pods, namespaces: NAMESPACES }))
    .filter(([, verdict]) => verdict === 'ok')
    .map(([name]) => name)
    .join(' ');

const web = pod('web', { labels: WEB, node: 'a1' });
const db = pod('db', { labels: { app: 'db' }, node: 'b1' });
const ALL = 'a1 a2 b1 b2 x';

describe('affinity', () => {
  it.each<[string, Pod, readonly Pod[], string]>([
    ['goes to the domain of a matching pod', near({}, term(WEB)), [web], 'a1 a2'],
    ['goes nowhere without one', near({}, term(WEB)), [db], ''],
    ['never goes to a node without the label', near({}, term(WEB)), [{ ...web, nodeName: 'x' as never }], ''],
    ['the first of its kind goes anywhere with the label', near(WEB, term(WEB)), [db], 'a1 a2 b1 b2'],
    ['the second goes to the first', near(WEB, term(WEB)), [web], 'a1 a2'],
    [
      'a pod on a node without the label does not make it the second',
      near(WEB, term(WEB)),
      [{ ...web, nodeName: 'x' as never }],
      'a1 a2 b1 b2',
    ],
    [
      'one pod must match all terms',
      near({}, term(WEB), term({ tier: 'front' })),
      [web, pod('f', { labels: { tier: 'front' }, node: 'a1' })],
      '',
    ],
    [
      'one pod that does',
      near({}, term(WEB), term({ tier: 'front' })),
      [pod('f', { labels: { ...WEB, tier: 'front' }, node: 'a1' })],
      'a1 a2',
    ],
    [
      'every key of several terms must be met',
      near({}, term(WEB), term(WEB, { topologyKey: 'kubernetes.io/hostname' })),
      [web],
      'a1',
    ],
    ['the first of its kind must match all terms itself', near(WEB, term(WEB), term({ tier: 'front' })), [], ''],
    ['terminating pods count', near({}, term(WEB)), [{ ...web, deletedAt: 1 as never }], 'a1 a2'],
    ['finished pods do not', near({}, term(WEB)), [{ ...web, phase: 'Succeeded' }], ''],
    ['pods of other namespaces do not', near({}, term(WEB)), [{ ...web, namespace: 'other' }], ''],
    ['a selector left out matches nothing', near(WEB, term({}, { labelSelector: null })), [web], ''],
    ['an empty selector matches everything', near({}, term({})), [db], 'b1 b2'],
    ['nodes that are gone hold nothing', near({}, term(WEB)), [{ ...web, nodeName: 'gone' as never }], ''],
  ])('%s', (_, pending, pods, expected) => {
    expect(feasible(pending, pods)).toBe(expected);
  });
});

describe('namespaces of a term', () => {
  const elsewhere = { ...web, namespace: 'other' };
  const byTeam = (team: string) => ({ namespaceSelector: selector({ team }) });
  const absent = (key: string) => ({ namespaceSelector: selector({}, { key, operator: 'DoesNotExist', values: [] }) });
  it.each<[string, Partial<PodAffinityTerm>, Pod, boolean]>([
    ['named', { namespaces: ['other'] }, elsewhere, true],
    ['naming another drops its own', { namespaces: ['other'] }, web, false],
    ['selected', byTeam('blue'), elsewhere, true],
    ['selecting another drops its own', byTeam('blue'), web, false],
    ['selecting its own', byTeam('red'), web, true],
    ['named and selected', { namespaces: ['default'], ...byTeam('blue') }, elsewhere, true],
    ['the empty selector is all of them', { namespaceSelector: selector() }, elsewhere, true],
    ['even such as do not exist', { namespaceSelector: selector() }, { ...web, namespace: 'unheard-of' }, true],
    ['a selector that matches none', byTeam('green'), elsewhere, false],
  ])('%s', (_, extra, there, matches) => {
    expect(feasible(near({}, term(WEB, extra)), [there])).toBe(matches ? 'a1 a2' : '');
    expect(feasible(far({}, term(WEB, extra)), [there])).toBe(matches ? 'b1 b2 x' : ALL);
  });

  it('a selector that asks for absence alone matches every namespace for the pod that waits', () => {
    expect(feasible(near({}, term(WEB, absent('env'))), [elsewhere])).toBe('a1 a2');
    expect(feasible(far({}, term(WEB, absent('env'))), [elsewhere])).toBe('b1 b2 x');
  });

  it('but not for the pods that are there', () => {
    const there = (extra: Partial<PodAffinityTerm>): Pod => ({ ...far({}, term(WEB, extra)), nodeName: 'a1' as never });
    const waits = pod('waits', { labels: WEB, namespace: 'other' });
    expect(feasible(waits, [there(absent('env'))])).toBe(ALL);
    expect(feasible(waits, [there(absent('absent'))])).toBe('b1 b2 x');
    expect(feasible(waits, [there(byTeam('blue'))])).toBe('b1 b2 x');
    expect(feasible(waits, [there({ namespaces: ['other'] })])).toBe('b1 b2 x');
    expect(feasible(waits, [there({})])).toBe(ALL);
  });
});

describe('anti-affinity', () => {
  it.each<[string, Pod, readonly Pod[], string]>([
    ['keeps out of the domain', far({}, term(WEB)), [web], 'b1 b2 x'],
    ['per node', far({}, term(WEB, { topologyKey: 'kubernetes.io/hostname' })), [web], 'a2 b1 b2 x'],
    ['goes anywhere without a matching pod', far({}, term(WEB)), [db], ALL],
    ['a node without the label is fine', far({}, term(WEB)), [{ ...web, nodeName: 'x' as never }], ALL],
    ['any term keeps out', far({}, term(WEB), term({ app: 'db' })), [web, db], 'x'],
    ['terminating pods keep out', far({}, term(WEB)), [{ ...web, deletedAt: 1 as never }], 'b1 b2 x'],
    ['the pod itself does not', far(WEB, term(WEB)), [], ALL],
    ['a key that no node has', far({}, term(WEB, { topologyKey: 'nowhere' })), [web], ALL],
  ])('%s', (_, pending, pods, expected) => {
    expect(feasible(pending, pods)).toBe(expected);
  });

  it('of pods that are there counts as well', () => {
    const there = { ...far({}, term(WEB)), name: 'there', nodeName: 'b2' as never };
    expect(feasible(pod('p', { labels: WEB }), [there])).toBe('a1 a2 x');
    expect(feasible(pod('p', { labels: { app: 'db' } }), [there])).toBe(ALL);
  });

  it('of pods that only wait does not', () => {
    expect(feasible(pod('p', { labels: WEB }), [{ ...far({}, term(WEB)), name: 'waits' }])).toBe(ALL);
  });
});

it('sees terms of pods that come after it was asked', () => {
  const first = pod('first', { labels: WEB });
  const objects = clusterObjects({ nodes: NODES, namespaces: NAMESPACES });
  const late = (app: string): Pod => far({ app }, term(WEB));
  const snapshot = clusterSnapshot(objects, [first, late('x'), late('y')]);
  const scheduler = createScheduler(snapshot, objects);
  const kind = snapshot.kindOf(first);
  const open = (): string =>
    snapshot.nodes
      .filter((info) => scheduler.check(kind, info!) === null)
      .map((info) => info!.name)
      .join(' ');
  expect(open()).toBe(ALL);
  snapshot.place(snapshot.kindOf(late('x')), snapshot.byName(nodeName('a1'))!);
  expect(open()).toBe('b1 b2 x');
  const other = {
    ...late('y'),
    spec: { ...late('y').spec, podAntiAffinity: [term(WEB, { topologyKey: 'kubernetes.io/hostname' })] },
  };
  snapshot.place(snapshot.kindOf(other), snapshot.byName(nodeName('x'))!);
  expect(open()).toBe('b1 b2');
});

it('says which of the three it was, the own affinity first', () => {
  const existing = { ...far({}, term({ app: 'me' })), name: 'there', nodeName: 'b1' as never };
  const me = pod('p', {
    labels: { app: 'me' },
    spec: {
      podAffinity: [term({}, { topologyKey: 'zone' })],
      podAntiAffinity: [term(WEB, { topologyKey: 'kubernetes.io/hostname' })],
    },
  });
  const said = verdicts(me, { nodes: NODES, pods: [web, existing] });
  expect(Object.entries(said).map(([name, no]) => `${name}: ${no?.reasons[0] ?? 'ok'}`)).toEqual([
    "a1: node(s) didn't match pod anti-affinity rules",
    'a2: ok',
    "b1: node(s) didn't satisfy existing pods anti-affinity rules",
    "b2: node(s) didn't satisfy existing pods anti-affinity rules",
    "x: node(s) didn't match pod affinity rules",
  ]);
});

describe('keys that the API server merges', () => {
  it('are not evaluated again', () => {
    const keys = { matchLabelKeys: ['version'], mismatchLabelKeys: ['app'] };
    expect(feasible(near({ ...WEB, version: '2' }, term(WEB, keys)), [web])).toBe('a1 a2');
  });
});

describe('a term that cannot be read', () => {
  const broken = term({}, { labelSelector: selector({}, { key: 'app', operator: 'Like', values: [] }) });

  it('rejects its own pod everywhere', () => {
    expect(verdicts(near({}, broken), { nodes: NODES.slice(0, 1) })['a1']).toEqual({
      plugin: 'InterPodAffinity',
      reasons: ['parsing pod: "Like" is not a valid label selector operator'],
    });
  });

  it('binds no others, and neither do the terms beside it', () => {
    const there = { ...far({}, broken, term(WEB)), name: 'there', nodeName: 'a1' as never };
    expect(feasible(pod('p', { labels: WEB }), [there])).toBe(ALL);
  });
});

it.each<[string, Pod, number]>([
  ['its own anti-affinity', far(WEB, term(WEB)), 1],
  ['anti-affinity to others', far(WEB, term({ app: 'db' })), 50],
  ['anti-affinity by a label that the node lacks', far(WEB, term(WEB, { topologyKey: 'nowhere' })), 50],
  ['affinity to itself', near(WEB, term(WEB)), 50],
  ['affinity to what is there', near({}, term({ app: 'db' })), 50],
])('room with %s', (_, pending, expected) => {
  const there = pod('there', { labels: { app: 'db' }, node: 'a2' });
  const nodes = NODES.map((each) => ({ ...each, allocatable: { pods: 100 } }));
  const pods = pending.spec.podAffinity.length > 0 || expected === 50 ? [there] : [];
  // The other side's pods are in another zone where they would be in the way.
  const apart =
    pending.spec.podAntiAffinity.length > 0 ? pods.map((each) => ({ ...each, nodeName: 'b1' as never })) : pods;
  expect(rooms(pending, { nodes, pods: apart })).toEqual({ room: expected, placed: expected });
});
