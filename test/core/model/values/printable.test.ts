import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableData, printableLine } from '../../../../core/model/values/printable.ts';

describe('printable text', () => {
  it.each([
    { name: 'ESC', text: '\u001B[2Ja', expected: '\uFFFD[2Ja' },
    { name: 'BEL, NUL, CR, TAB, DEL', text: '\u0007\0\r\t\u007F', expected: '\uFFFD'.repeat(5) },
    { name: 'the C1 form of ESC [', text: '\u009B2J', expected: '\uFFFD2J' },
    { name: 'a change of direction', text: 'a\u202Eb\u2066c', expected: 'a\uFFFDb\uFFFDc' },
    { name: 'what has no width', text: 'a\u200Bb\uFEFFc', expected: 'a\uFFFDb\uFFFDc' },
    { name: 'Unicode’s line breaks', text: 'a\u2028b\u2029c', expected: 'a\uFFFDb\uFFFDc' },
    { name: 'half a character', text: 'a\uD83D', expected: 'a\uFFFD' },
  ])('is without $name', ({ text, expected }) => {
    expect(printable(text)).toBe(expected);
  });

  it('is else as it was, over several lines', () => {
    const text = 'Größe 3 → 5\n„größer“ – 木 😀 …\n';
    expect(printable(text)).toBe(text);
  });

  it('is one line where a line is wanted', () => {
    expect(printableLine(' two \t\r\n\n   lines\u001B ')).toBe('two lines\uFFFD');
    assert(
      property(string({ unit: 'binary' }), (text) => {
        expect(printableLine(text)).not.toMatch(/[\n\r\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  it('is a line though it has very many blanks', () => {
    const blanks = ' '.repeat(2_000_000);
    expect(printableLine(`a${blanks}b\n${blanks}c`)).toHaveLength(blanks.length + 4);
  });

  it('is in all of a document, keys and depths', () => {
    expect(printableData({ 'a\u001B': ['\u001B', { b: '\u001B', c: 1, d: null }] })).toEqual({
      'a\uFFFD': ['\uFFFD', { b: '\uFFFD', c: 1, d: null }],
    });
  });
});
