import { expect, test } from 'vitest';
import { costKeyOf } from '../../../cli/cost/cost-key.ts';

test.each([
  ['namespace', { of: 'namespace' }],
  ['node-group', { of: 'node-group' }],
  ['label=app.kubernetes.io/name', { of: 'label', label: 'app.kubernetes.io/name' }],
])('%s says whose cost the rows are', (text, key) => {
  expect(costKeyOf(text)).toEqual(key);
});

test.each(['pod', 'label=', 'label', ''])('"%s" does not', (text) => {
  expect(() => costKeyOf(text)).toThrow('Expected namespace, node-group, node, or label=KEY');
});
