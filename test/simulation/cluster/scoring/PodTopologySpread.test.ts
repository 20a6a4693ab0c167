import { describe, expect, test } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import type { PodSpec, TopologySpreadConstraint } from '../../../../core/model/cluster/pod.ts';
import { podTopologySpreadScore } from '../../../../simulation/cluster/scoring/PodTopologySpread.ts';
import { node, pod, selector, spreadConstraint } from '../../../builders.ts';
import { inZone, scoresOf } from './scores.ts';

describe('PodTopologySpread', () => {
  const soft = (topologyKey: string, maxSkew = 1): TopologySpreadConstraint =>
    spreadConstraint(topologyKey, selector({ app: 'web' }), { maxSkew, whenUnsatisfiable: 'ScheduleAnyway' });
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
