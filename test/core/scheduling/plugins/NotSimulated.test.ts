import { expect, it } from 'vitest';
import { node, pod } from '../../../builders.ts';
import { fit, verdicts } from '../fit.ts';

const nodes = [node('open'), node('cordoned', {}, { unschedulable: true })];

it.each([
  ['dynamic resource allocation', { resourceClaims: ['gpu'] }],
  ['gang scheduling', { workload: 'train/workers' }],
])('%s is never a silent yes, and leaves the other plugins their say', (_, spec) => {
  expect(fit(pod('p', { spec }), { nodes })).toEqual({ open: 'NotSimulated', cordoned: 'NodeUnschedulable' });
});

it('names what was not simulated', () => {
  expect(verdicts(pod('p', { spec: { resourceClaims: ['gpu'] } }), { nodes })['open']?.reasons).toEqual([
    'node(s) were not simulated: dynamic resource allocation (spec.resourceClaims)',
  ]);
});
