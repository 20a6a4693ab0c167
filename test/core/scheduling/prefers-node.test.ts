import { expect, test } from 'vitest';
import { ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { prefersNode } from '../../../core/scheduling/prefers-node.ts';
import { node, pod } from '../../builders.ts';
import { inZone } from '../../simulation/cluster/scoring/scores.ts';

const SOFT = { key: 'spot', value: 'true', effect: 'PreferNoSchedule' as const };
const tainted = node('tainted', {}, { taints: [SOFT] });
const plain = node('plain');

test('a pod prefers nodes of more weight by its preferred node affinity', () => {
  const term = { matchExpressions: [{ key: ZONE_LABEL, operator: 'In' as const, values: ['a'] }], matchFields: [] };
  const { spec } = pod('p', { spec: { preferredNodeAffinity: [{ weight: 7, term }] } });
  const [inA, inB] = [inZone('in-a', 'a'), inZone('in-b', 'b')];
  expect([prefersNode(spec, inA, inB), prefersNode(spec, inB, inA), prefersNode(spec, inA, inA)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a pod prefers nodes without a PreferNoSchedule taint, unless it tolerates the taint, or has it already', () => {
  const { spec } = pod('p');
  expect(prefersNode(spec, plain, tainted)).toBe(true);
  expect(prefersNode(spec, tainted, plain)).toBe(false);
  expect(prefersNode(spec, tainted, tainted)).toBe(false);
  const tolerations = [{ key: 'spot', operator: 'Exists', value: '', effect: '' as const, tolerationSeconds: null }];
  expect(prefersNode({ ...spec, tolerations }, plain, tainted)).toBe(false);
});

test('a soft taint of another key on its own node does not make up for the taint', () => {
  const leaving = node(
    'leaving',
    {},
    { taints: [{ key: 'DeletionCandidateOfClusterAutoscaler', value: '17', effect: 'PreferNoSchedule' }] },
  );
  expect(prefersNode(pod('p').spec, leaving, tainted)).toBe(true);
});
