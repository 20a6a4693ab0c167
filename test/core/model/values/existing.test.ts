import { expect, test } from 'vitest';
import {
  firstItem,
  getExisting,
  getOwn,
  itemAt,
  lastItem,
  textBefore,
} from '../../../../core/model/values/existing.ts';

test('values that exist are given, null among them', () => {
  expect(getExisting(new Map([['a', null]]), 'a')).toBeNull();
  expect(getOwn({ a: 0 }, 'a')).toBe(0);
  expect([itemAt([1, 2], 1), firstItem(['x', 'y']), lastItem(Float64Array.of(3, 4))]).toEqual([2, 'x', 4]);
});

test.each([
  ['a key of a map', () => getExisting(new Map([['a', 1]]), 'b'), 'nothing at b'],
  ['an inherited name of a record', () => getOwn<string, number>({}, 'constructor'), 'nothing at constructor'],
  ['an index', () => itemAt([1], 1), 'nothing at 1'],
  ['the first item', () => firstItem([]), 'nothing at 0'],
  ['the last item', () => lastItem([]), 'nothing at -1'],
])('%s that is missing is named', (_, get, message) => {
  expect(get).toThrow(new RangeError(message));
});

test('the text before a separator is the whole text, if it has none', () => {
  expect(['a/b/c', 'abc', '/a'].map((text) => textBefore(text, '/'))).toEqual(['a', 'abc', '']);
});
