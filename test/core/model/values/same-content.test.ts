import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonical } from '../../../../core/model/snapshot/pod-kind.ts';
import { isSameContent } from '../../../../core/model/values/same-content.ts';

test.each([
  ['the same number', 1, 1, true],
  ['another number', 1, 2, false],
  ['fields in another order', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
  ['another field', { a: 1, b: undefined }, { a: 1, c: undefined }, false],
  ['a field named __proto__', JSON.parse('{"__proto__":{}}'), { z: 1 }, false],
  ['one field more', { a: 1 }, { a: 1, b: 2 }, false],
  ['one field less', { a: 1, b: 2 }, { a: 1 }, false],
  ['a difference deep inside', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, false],
  ['another order of a list', [1, 2], [2, 1], false],
  ['a longer list', [1], [1, 2], false],
  ['an object and null', {}, null, false],
  ['an object and a list', { length: 0 }, [], false],
])('%s', (_, a, b, expected) => {
  expect(isSameContent(a, b)).toBe(expected);
  expect(isSameContent(b, a)).toBe(expected);
});

test('of what JSON can hold, the same is what has the same canonical text', () => {
  const value = fc.jsonValue({ maxDepth: 3 }).map((one) => JSON.parse(JSON.stringify(one)) as unknown);
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(isSameContent(a, b)).toBe(canonical(a) === canonical(b));
      expect(isSameContent(a, JSON.parse(canonical(a)))).toBe(true);
    }),
  );
});
