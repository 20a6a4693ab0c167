import { expect, it } from 'vitest';
import { node, pod } from '../../../builders.ts';
import { reason } from '../fit.ts';

const key = 'node.kubernetes.io/unschedulable';
const toleration = { key, operator: 'Exists', value: '', effect: 'NoSchedule', tolerationSeconds: null };

it.each([
  ['an open node', false, [], 'ok'],
  ['a cordoned node', true, [], 'node(s) were unschedulable'],
  ['a cordoned node, tolerated by key', true, [toleration], 'ok'],
  ['a cordoned node, tolerated as everything is', true, [{ ...toleration, key: '', effect: '' }], 'ok'],
  ['a cordoned node, the empty value tolerated', true, [{ ...toleration, operator: 'Equal' }], 'ok'],
  [
    'a cordoned node, another value tolerated',
    true,
    [{ ...toleration, operator: '', value: 'x' }],
    'node(s) were unschedulable',
  ],
  [
    'a cordoned node, tolerated for running pods only',
    true,
    [{ ...toleration, effect: 'NoExecute' }],
    'node(s) were unschedulable',
  ],
])('%s', (_, unschedulable, tolerations, expected) => {
  expect(reason(pod('p', { spec: { tolerations } }), { nodes: [node('n', {}, { unschedulable })] })).toBe(expected);
});
