import { expect, test } from 'vitest';
import { ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import { nodeAffinityScore } from '../../../../simulation/cluster/scoring/NodeAffinity.ts';
import { pod } from '../../../builders.ts';
import { inZone, scoresOf } from './scores.ts';

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
