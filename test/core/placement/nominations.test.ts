import { describe, expect, test } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { AWAITING_PODS_TAINT, HOSTNAME_LABEL, type Node, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import type { Pod, PodSpec } from '../../../core/model/cluster/pod.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { affinityTerm, type Amounts, node, pod, type PodOptions, selector, spreadConstraint } from '../../builders.ts';
import { group, NOW, scaleUpRequest, scenario, type ScenarioGiven, times } from '../../scenario-builders.ts';
import { buffer, template } from '../headroom/given.ts';

const AWAITING = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };

/** A node of four cores that is ready, but for the taint. */
const held = (name: string, extra: Partial<Node> = {}, amounts: Amounts = { cpu: 4, memory: '16Gi' }): Node =>
  node(name, amounts, { createdAt: epochMs(NOW - 5_000), taints: [AWAITING], ...extra });

const starting = (name: string, extra: Partial<Node> = {}): Node =>
  held(name, { conditions: [{ type: 'Ready', status: 'False', reason: '', since: null }], ...extra });

const open = (name: string, cpu = 4): Node => node(name, { cpu, memory: '16Gi' });

const waiting = (name: string, cpu: number, options: PodOptions = {}): Pod =>
  pod(name, { owner: `ReplicaSet/${name}`, requests: { cpu }, ...options });

/** Waits, and is to be spread over these domains together with all pods of the label. */
const spread = (name: string, cpu: number, topologyKey: string): Pod =>
  waiting(name, cpu, { labels: { app: 'x' }, spec: { topologySpread: [constraint(topologyKey)] } });

const constraint = (topologyKey: string): PodSpec['topologySpread'][number] =>
  spreadConstraint(topologyKey, selector({ app: 'x' }));

/** The pods that are nominated to each node that opens, in that order; all nodes are of one group, of which so many more are to come. */
function nominated(
  nodes: readonly Node[],
  pods: readonly Pod[],
  { toCome = 0, ...rest }: ScenarioGiven & { readonly toCome?: number } = {},
): Readonly<Record<string, readonly string[]>> {
  const target = nodes.length + toCome;
  const web = group('web', { nodes: nodes.map(({ name }) => name), target, taints: [AWAITING] });
  const asked = scaleUpRequest('web', target, epochMs(NOW - 60_000));
  const input = scenario({
    groups: [web],
    nodes,
    pods,
    ...rest,
    options: { plannedPlacement: true, ...rest.options },
    state: { scaleUpRequests: [asked], ...rest.state },
  });
  const { releases = [] } = evaluateScaleUp(input).scaleUp;
  return Object.fromEntries(
    releases.map(({ node: name, pods: of }) => [name, of.map((key) => key.replace('default/', ''))]),
  );
}

describe('what is left of a node that opens', () => {
  test('is for pods that have their place on a node which is starting, or still to come', () => {
    const pods = [waiting('large', 3), waiting('medium', 2.5), waiting('small', 1)];
    expect(nominated([starting('a'), held('b')], pods)).toEqual({ b: ['medium', 'small'] });
    const more = [waiting('large', 3), waiting('medium', 2.5), waiting('huge', 3.5), waiting('small', 1)];
    expect(nominated([starting('a'), held('b')], more, { toCome: 1 })).toEqual({ b: ['large', 'small'] });
  });

  test('is for pods that have their place on a node which opens later', () => {
    const before = waiting('before', 2.5, { nominatedNode: 'a' });
    const pods = [before, waiting('large', 3), waiting('small', 0.5)];
    expect(Object.entries(nominated([held('a'), held('b')], pods))).toEqual([
      ['b', ['large', 'small']],
      ['a', []],
    ]);
  });

  test('is for the largest of them, those of a higher priority before', () => {
    const pods = (priority: number) => [
      waiting('large', 3),
      waiting('medium', 2),
      waiting('half', 0.5),
      waiting('quarter', 0.25, { spec: { priority } }),
    ];
    const nodes = [starting('a'), held('b', {}, { cpu: 2.6, memory: '16Gi' })];
    expect(nominated(nodes, pods(0))).toEqual({ b: ['medium', 'half'] });
    expect(nominated(nodes, pods(1))).toEqual({ b: ['medium', 'quarter'] });
  });

  test('is for pods that have their place on a node which is open, after the others', () => {
    const pods = [waiting('large', 3), waiting('small', 1)];
    expect(nominated([open('a', 1.5), held('b')], pods)).toEqual({ b: ['large', 'small'] });
    const more = [...pods, waiting('larger', 3.1), waiting('smaller', 0.9)];
    expect(nominated([open('a', 1), starting('b'), held('c')], more)).toEqual({ c: ['large', 'smaller'] });
  });

  test('is not given away where a pod has its place that stands for others', () => {
    const pods = [waiting('large', 3), waiting('medium', 2.5), waiting('small', 1)];
    const objects = {
      podTemplates: [template('chunk', { cpu: '1.25' })],
      capacityBuffers: [buffer('spare', { replicas: 1 })],
    };
    const nodes = [starting('a'), held('b')];
    expect(nominated(nodes, pods, { objects, options: { capacityBuffers: true } })).toEqual({ b: ['medium'] });
    expect(nominated(nodes, pods, { objects })).toEqual({ b: ['medium', 'small'] });
  });

  test('is not given away where a pod has its place whose node is being drained', () => {
    const leaving = open('leaving');
    const drained = pod('drained', { owner: 'ReplicaSet/drained', requests: { cpu: 1.25 }, node: 'leaving' });
    const pods = [waiting('large', 3), waiting('medium', 2.5), waiting('small', 1), drained];
    const deletion = { node: nodeName('leaving'), group: groupName('web'), kind: 'drain' as const, since: NOW };
    const nodes = [starting('a'), held('b'), leaving];
    expect(nominated(nodes, pods, { state: { deletionsInProgress: [deletion] } })).toEqual({ b: ['medium'] });
  });

  test('is not for a pod that the filters of kube-scheduler keep off the node', () => {
    const small = waiting('small', 1, { spec: { nodeSelector: { disk: 'ssd' } } });
    const pods = [waiting('large', 3), waiting('medium', 2.5), small];
    const ssd = { labels: { disk: 'ssd' } };
    expect(nominated([starting('a', ssd), held('b')], pods)).toEqual({ b: ['medium'] });
    expect(nominated([starting('a', ssd), held('b', ssd)], pods)).toEqual({ b: ['medium', 'small'] });
  });
});

describe('a pod that is spread is nominated where kube-scheduler lets it onto the node as things are', () => {
  test.each([
    ['x', ['spread']],
    ['y', ['spread', 'plain']],
  ])('over hosts: not with a pod that is labeled %s beside it, whichever is tried first', (app, expected) => {
    const full = waiting('full', 4, { nominatedNode: 'a' });
    const plain = waiting('plain', 1, { labels: { app } });
    const pods = [full, spread('spread', 2, HOSTNAME_LABEL), plain];
    expect(nominated([starting('a'), held('b')], pods)).toEqual({ b: expected });
  });

  test('over hosts: nodes that are still to come do not count', () => {
    const pods = times(2, (i) => spread(`p-${i}`, 1, HOSTNAME_LABEL));
    expect(nominated([held('a')], pods, { toCome: 1 })).toEqual({ a: ['p-0', 'p-1'] });
    expect(nominated([held('a'), starting('b')], pods)).toEqual({ a: ['p-0'] });
  });

  test('over hosts: a pod does not count on the open node where it has its place until it is there', () => {
    const pods = times(2, (i) => spread(`p-${i}`, 1, HOSTNAME_LABEL));
    expect(nominated([open('a'), held('b')], pods)).toEqual({ b: ['p-1'] });
  });

  test('over zones: a node that is closed counts as empty', () => {
    const zone = (name: string) => ({ labels: { [ZONE_LABEL]: name } });
    const pods = times(6, (i) => spread(`p-${i}`, 1, ZONE_LABEL));
    const count = (nodes: readonly Node[]) => Object.values(nominated(nodes, pods)).map(({ length }) => length);
    expect(count([held('a', zone('a')), held('b', zone('b')), starting('c', zone('c'))])).toEqual([1, 1]);
    expect(count([held('a', zone('a')), held('b', zone('b')), held('c', zone('c'))])).toEqual([2, 2, 2]);
  });

  test('over zones: it keeps its room until it is known whether others let it onto the node', () => {
    const zone = (name: string) => ({ labels: { [ZONE_LABEL]: name } });
    const nodes = [held('a', zone('a')), held('b', zone('b')), starting('c', zone('a'))];
    const there = waiting('there', 2.1, { nominatedNode: 'c' });
    const pods = [...times(4, (i) => spread(`p-${i}`, 2, ZONE_LABEL)), waiting('plain', 1.9)];
    expect(nominated(nodes, [...pods, there])).toEqual({ a: ['p-0', 'p-3'], b: ['p-1', 'p-2'] });
  });

  test('over zones: room that it cannot have yet is for others', () => {
    const zone = (name: string) => ({ labels: { [ZONE_LABEL]: name } });
    const pods = [...times(3, (i) => spread(`p-${i}`, 1.5, ZONE_LABEL)), waiting('plain', 1.5)];
    expect(nominated([held('a', zone('a')), starting('b', zone('b'))], pods)).toEqual({ a: ['p-0', 'plain'] });
  });

  test('over zones: a bound pod and a planned pod of the same kind both count on an open node', () => {
    const zone = (name: string) => ({ labels: { [ZONE_LABEL]: name } });
    const bound = { ...spread('bound', 1, ZONE_LABEL), nodeName: nodeName('a') };
    const nodes = [node('a', { cpu: 4 }, zone('a')), held('b', zone('b'))];
    const pods = times(3, (i) => spread(`p-${i}`, 1, ZONE_LABEL));
    const { b } = nominated(nodes, [bound, ...pods]);
    expect(b).toHaveLength(2);
  });

  test('over zones: to what is left of another node, too', () => {
    const zone = (name: string) => ({ labels: { [ZONE_LABEL]: name } });
    const pods = [waiting('large', 3), waiting('medium', 2.5), spread('spread', 1, ZONE_LABEL)];
    const nodes = [starting('a', zone('a')), held('b', zone('b'))];
    expect(nominated(nodes, pods)).toEqual({ b: ['medium', 'spread'] });
  });
});

test('a pod that is to be near others is nominated where some of these are bound, not where some are nominated', () => {
  const near = affinityTerm(ZONE_LABEL, selector({ app: 'x' }));
  const options: PodOptions = { labels: { app: 'x' }, spec: { podAffinity: [near] } };
  const zone = (name: string) => ({ labels: { [ZONE_LABEL]: name } });
  const nodes = [held('a', zone('a')), held('b', zone('b')), node('there', { cpu: 1 }, zone('b'))];
  const before = waiting('before', 1, { ...options, nominatedNode: 'a' });
  const pods = [before, ...times(2, (i) => waiting(`p-${i}`, 2, options))];
  expect(nominated(nodes, pods)).toEqual({ a: ['p-0'], b: [] });
  const bound = waiting('bound', 1, { ...options, node: 'there' });
  expect(nominated(nodes, [...pods, bound])).toEqual({ a: [], b: ['p-1', 'p-0'] });
});
