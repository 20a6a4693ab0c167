import { describe, expect, test } from 'vitest';
import { ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import type { PodAffinityTerm, PodSpec } from '../../../../core/model/cluster/pod.ts';
import { interPodAffinityScore } from '../../../../simulation/cluster/scoring/InterPodAffinity.ts';
import { affinityTerm, pod, selector } from '../../../builders.ts';
import { inZone, scoresOf } from './scores.ts';

describe('InterPodAffinity', () => {
  const term = (app: string, topologyKey = ZONE_LABEL): PodAffinityTerm => affinityTerm(topologyKey, selector({ app }));
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
