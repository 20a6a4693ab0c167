import { expect, test } from 'vitest';
import { nonEmpty, present } from '../../../../core/model/values/present.ts';

test('fields that are null or undefined are left out, and those that are false, 0 or empty are not', () => {
  const fields = { a: null, b: undefined, c: false, d: 0, e: '' };
  expect(Object.entries(present(fields))).toEqual([
    ['c', false],
    ['d', 0],
    ['e', ''],
  ]);
});

test('lists without an item are left out', () => {
  expect(Object.keys(nonEmpty({ a: [], b: [1] }))).toEqual(['b']);
});
