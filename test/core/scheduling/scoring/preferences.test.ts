import { describe, expect, test } from 'vitest';
import type { NodeInfo } from '../../../../core/model/snapshot/snapshot.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import type { PodAffinityTerm, PodSpec, TopologySpreadConstraint } from '../../../../core/model/cluster/pod.ts';
import { NO_OBJECTS } from '../../../../core/model/scenario.ts';
import { clusterSnapshot } from '../../../../core/scheduling/cluster-snapshot.ts';
import { interPodAffinityScore } from '../../../../core/scheduling/scoring/InterPodAffinity.ts';
import { nodeAffinityScore } from '../../../../core/scheduling/scoring/NodeAffinity.ts';
import { nodesToScore } from '../../../../core/scheduling/scoring/nodes-to-score.ts';
import { podTopologySpreadScore } from '../../../../core/scheduling/scoring/PodTopologySpread.ts';
import { createScorer } from '../../../../core/scheduling/scoring/scorer.ts';
import { taintTolerationScore } from '../../../../core/scheduling/scoring/TaintToleration.ts';
import { node, pod, selector } from '../../../builders.ts';
import { times } from '../../../scenario-builders.ts';
import { scoresOf } from './scores.ts';

const inZone = (name: string, zone: string) => node(name, { cpu: 8 }, { labels: { [ZONE_LABEL]: zone } });

test('TaintToleration: the fewer taints that only advise against it, the better', () => {
  const advised = (name: string, ...keys: readonly string[]) =>
    node(name, {}, { taints: keys.map((key) => ({ key, value: '', effect: 'PreferNoSchedule' })) });
  const tolerant: Partial<PodSpec> = {
    tolerations: [{ key: 'x', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }],
  };
  const nodes = [advised('none'), advised('one', 'y'), advised('two', 'y', 'z'), advised('borne', 'x')];
  expect(scoresOf(taintTolerationScore, pod('p', { spec: tolerant }), nodes)).toEqual({
    none: 100,
    one: 50,
    two: 0,
    borne: 100,
  });
});

test('NodeAffinity: the weights of preferred terms, as shares of the highest', () => {
  const term = (zone: string) => ({
    matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: [zone] }],
    matchFields: [],
  });
  const preferredNodeAffinity = [
    { weight: 2, term: term('a') },
    { weight: 8, term: term('b') },
  ];
  const nodes = [inZone('in-a', 'a'), inZone('in-b', 'b'), inZone('in-c', 'c')];
  expect(scoresOf(nodeAffinityScore, pod('p', { spec: { preferredNodeAffinity } }), nodes)).toEqual({
    'in-a': 25,
    'in-b': 100,
    'in-c': 0,
  });
  expect(scoresOf(nodeAffinityScore, pod('p'), nodes)).toBeNull();
});

describe('InterPodAffinity', () => {
  const term = (app: string, topologyKey = ZONE_LABEL): PodAffinityTerm => ({
    topologyKey,
    labelSelector: selector({ app }),
    namespaces: [],
    namespaceSelector: null,
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  });
  const nodes = [inZone('in-a', 'a'), inZone('in-b', 'b'), inZone('in-c', 'c')];
  const db = pod('db', { labels: { app: 'db' } });

  test.each<{ readonly what: string; readonly spec: Partial<PodSpec>; readonly expected: Record<string, number> }>([
    {
      what: 'goes near the pods that it prefers',
      spec: { preferredPodAffinity: [{ weight: 5, term: term('db') }] },
      expected: { 'in-a': 100, 'in-b': 0, 'in-c': 0 },
    },
    {
      what: 'goes away from those that it does not',
      spec: { preferredPodAntiAffinity: [{ weight: 5, term: term('db') }] },
      expected: { 'in-a': 0, 'in-b': 100, 'in-c': 100 },
    },
  ])('$what', ({ spec, expected }) => {
    expect(scoresOf(interPodAffinityScore, pod('p', { spec }), nodes, { 'in-a': [db] })).toEqual(expected);
  });

  test('pods that are there have their say: what they require counts 1, what they prefer its weight', () => {
    const requires = pod('requires', { spec: { podAffinity: [term('web')] } });
    const prefers = pod('prefers', { spec: { preferredPodAffinity: [{ weight: 4, term: term('web') }] } });
    const shuns = pod('shuns', { spec: { preferredPodAntiAffinity: [{ weight: 4, term: term('web') }] } });
    const web = pod('web', { labels: { app: 'web' } });
    expect(
      scoresOf(interPodAffinityScore, web, nodes, { 'in-a': [requires], 'in-b': [prefers], 'in-c': [shuns] }),
    ).toEqual({ 'in-a': 62, 'in-b': 100, 'in-c': 0 });
  });
});

describe('PodTopologySpread', () => {
  const soft = (topologyKey: string, maxSkew = 1): TopologySpreadConstraint => ({
    maxSkew,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: selector({ app: 'web' }),
    minDomains: null,
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    matchLabelKeys: [],
  });
  const web = (name: string, spec: Partial<PodSpec> = {}) => pod(name, { labels: { app: 'web' }, spec });
  const nodes = [inZone('a1', 'a'), inZone('a2', 'a'), inZone('b1', 'b')];

  test('fewer matching pods in the zone are better, on whichever of its nodes they are', () => {
    const bound = { a1: [web('w-1'), web('w-2')], b1: [web('w-3')] };
    const spread = { topologySpread: [soft(ZONE_LABEL)] };
    // 2 and 1 pods, each worth ln 4: 3 and 1 after rounding.
    expect(scoresOf(podTopologySpreadScore, web('p', spread), nodes, bound)).toEqual({ a1: 33, a2: 33, b1: 100 });
  });

  test('nodes without the label come last', () => {
    const spread = { topologySpread: [soft(ZONE_LABEL)] };
    const with0 = [...nodes, node('none')];
    expect(scoresOf(podTopologySpreadScore, web('p', spread), with0)).toEqual({ a1: 100, a2: 100, b1: 100, none: 0 });
  });

  test('pods of a controller that say nothing are spread over hosts and zones, others are not', () => {
    const owned = (name: string) => pod(name, { owner: 'ReplicaSet/web' });
    const bound = { a1: [owned('w-1'), owned('w-2'), owned('w-3')] };
    const scores = scoresOf(podTopologySpreadScore, owned('p'), nodes, bound)!;
    expect(scores['b1']).toBe(100);
    expect(scores['a2']).toBeGreaterThan(scores['a1']!);
    expect(scores['a2']).toBeLessThan(100);
    expect(scoresOf(podTopologySpreadScore, pod('p'), nodes, bound)).toBeNull();
    expect(scoresOf(podTopologySpreadScore, pod('p', { owner: 'Job/web' }), nodes, bound)).toBeNull();
    const hard = { topologySpread: [{ ...soft(HOSTNAME_LABEL), whenUnsatisfiable: 'DoNotSchedule' }] };
    expect(scoresOf(podTopologySpreadScore, { ...owned('p'), spec: web('q', hard).spec }, nodes, bound)).toBeNull();
  });
});

describe('the scheduler', () => {
  test.each([
    [1, 1],
    [99, 99],
    [100, 100],
    [200, 100],
    [300, 144],
    [1_000, 420],
    [5_000, 500],
    [10_000, 500],
  ])('of %d nodes looks for %d that fit', (nodes, expected) => {
    expect(nodesToScore(nodes)).toBe(expected);
  });

  test('goes to the node that all plugins together like best, and leaves ties to chance', () => {
    const nodes = times(4, (i) => node(`n${i}`, { cpu: 4, memory: '8Gi' }));
    const waits = pod('p', { requests: { cpu: 1, memory: '2Gi' } });
    const snapshot = clusterSnapshot({ ...NO_OBJECTS, nodes }, [waits]);
    const kind = snapshot.kindOf(waits);
    const scorer = createScorer(snapshot, NO_OBJECTS);
    const infos = snapshot.nodes as readonly NodeInfo[];
    snapshot.place(kind, infos[0]!);
    snapshot.place(kind, infos[2]!, 2);
    const chosen = (draw: number) => scorer.choose({ kind, owner: null }, infos, () => draw).name;
    expect([0, 0.99].map(chosen)).toEqual(['n3', 'n1']);
    snapshot.place(kind, infos[1]!);
    snapshot.place(kind, infos[3]!, 2);
    expect([0, 0.99].map(chosen)).toEqual(['n1', 'n0']);
  });
});
