import { expect, test } from 'vitest';
import { cut, widest, wrap } from '../../../cli/terminal/wrap.ts';

test.each([
  ['web-a', 5, 'web-a'],
  ['web-abc', 5, 'web-…'],
  ['two words', 5, 'two …'],
  ['日本語', 6, '日本語'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['web-😀😀', 7, 'web-😀…'],
  ['web-😀😀', 6, 'web-…'],
  // A character of several code points: a family, and an e with an accent.
  ['👨‍👩‍👧xxx', 4, '👨‍👩‍👧x…'],
  ['cafe\u0301s', 5, 'cafe\u0301s'],
  ['cafe\u0301s!', 5, 'café…'],
])('%j is cut to %i columns between characters', (text, width, expected) => {
  expect(cut(text, width)).toBe(expected);
});

test('a wide character takes two columns', () => {
  expect(widest(['web', '日本語', 'web-😀'])).toBe(6);
  expect(wrap('日本語 日本語', 7)).toEqual(['日本語', '日本語']);
});
