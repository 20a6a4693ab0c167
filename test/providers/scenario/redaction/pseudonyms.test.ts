import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { byName } from '../../../../core/model/values/names.ts';
import { pseudonymsFor } from '../../../../providers/scenario/redaction/pseudonyms.ts';

const name = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9.-]{0,8}$/),
  fc.constantFrom('kube-system', 'kube-system-a', 'a'),
);

it('names are in the order of what they stand for, beside the one that is kept', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.constantFrom('', '/'), (names, endedBy) => {
      const pseudonyms = pseudonymsFor(names, 'name', 'kube-system', endedBy);
      const compared = (list: readonly string[]): readonly string[] =>
        list.toSorted((a, b) => byName(`${a}${endedBy}`, `${b}${endedBy}`));
      const all = [...new Set([...names, 'kube-system'])];
      expect(compared(all).map((one) => pseudonyms.get(one))).toEqual(compared([...pseudonyms.values()]));
      expect(pseudonyms.get('kube-system')).toBe('kube-system');
      expect(new Set(pseudonyms.values()).size).toBe(all.length);
    }),
  );
});

it('namespaces are in the order of the names of their objects, where one begins as another does', () => {
  const pseudonyms = pseudonymsFor(['web', 'web-a', 'alpha'], 'namespace', 'kube-system', '/');
  expect(Object.fromEntries(pseudonyms)).toEqual({
    'kube-system': 'kube-system',
    alpha: 'a-namespace-000001',
    'web-a': 'namespace-000002',
    web: 'namespace-000003',
  });
});
