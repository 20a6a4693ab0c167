import { expect, test } from 'vitest';
import { ledgerKeyOf } from '../../../cli/cost/ledger-key.ts';

test.each([
  ['namespace', { of: 'namespace' }],
  ['node-group', { of: 'node-group' }],
  ['label=app.kubernetes.io/name', { of: 'label', label: 'app.kubernetes.io/name' }],
])('%s says whose cost the rows are', (text, key) => {
  expect(ledgerKeyOf(text)).toEqual(key);
});

test.each(['pod', 'label=', 'label', ''])('"%s" does not', (text) => {
  expect(() => ledgerKeyOf(text)).toThrow('Expected namespace, node-group, node, or label=KEY');
});
