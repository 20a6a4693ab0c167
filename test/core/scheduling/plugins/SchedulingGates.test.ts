import { expect, it } from 'vitest';
import { node, pod } from '../../../builders.ts';
import { fit } from '../fit.ts';

const nodes = [node('open'), node('cordoned', {}, { unschedulable: true })];

it('keeps a gated pod off every node, before anything else is evaluated', () => {
  expect(fit(pod('p', { spec: { schedulingGates: ['example.com/wait'] } }), { nodes })).toEqual({
    open: 'SchedulingGates',
    cordoned: 'SchedulingGates',
  });
});

it('does not count gated pods', () => {
  const gated = pod('gated', { requests: { cpu: 4 }, spec: { schedulingGates: ['example.com/wait'] } });
  const small = [node('n', { cpu: 4 })];
  expect(fit(pod('p', { requests: { cpu: 4 } }), { nodes: small, pods: [gated] })).toEqual({ n: 'ok' });
});
