import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { clip, clippedList, firstNames, LONGEST_MESSAGE, quoted } from '../../../../core/model/values/clip.ts';

describe('clip', () => {
  it('leaves a message alone that is short enough', () => {
    expect(clip('x'.repeat(300))).toBe('x'.repeat(300));
  });

  it('ends a longer one with a mark', () => {
    expect(clip('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`);
  });

  test('no text is longer than asked, and no character is cut in two', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '😀'), maxLength: 40 }),
        fc.integer({ min: 2, max: 20 }),
        (text, longest) => {
          const clipped = clip(text, longest);
          expect(clipped.length).toBeLessThanOrEqual(longest);
          expect(clipped.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

it('quotes what users write, in at most as many characters as a message has', () => {
  expect(quoted('a "b"')).toBe('"a \\"b\\""');
  expect(quoted('"'.repeat(300_000)).length).toBe(LONGEST_MESSAGE);
});

it.each([
  [[], ''],
  [['a', 'b', 'c'], 'a, b, c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
])('firstNames of %j are %j', (names, text) => {
  expect(firstNames(names)).toBe(text);
});

describe('clippedList', () => {
  it('joins a few names', () => {
    expect(clippedList(['a', 'b', 'c'])).toBe('a, b, c');
  });

  it('counts those that do not fit', () => {
    const names = Array.from({ length: 2_600 }, (_, i) => `${i}-${'n'.repeat(98)}`);
    expect(clippedList(names)).toBe(`${names[0]}, ${names[1]} and 2598 more`);
  });

  it('clips a name that is too long for all', () => {
    expect(clippedList(['x'.repeat(1_000), 'y']).length).toBeLessThanOrEqual(LONGEST_MESSAGE);
    expect(clippedList(['x'.repeat(1_000), 'y'])).toMatch(/^x+… and 1 more$/);
  });
});
