import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest, startDigest } from '../../../../core/model/snapshot/digest.ts';

describe('a digest', () => {
  // State that was written by one version is read by the next: the text must stay what it is.
  it.each([
    ['', '1aggevgbi2j1247s7v64qa'],
    ['outrigger', '0r07hbs25xf03g0imw6x86'],
    ['{"containers":[]}\ndefault\n[null]', '1taslxkajk720n9t76ky0g'],
  ])('of %j is %s', (text, expected) => {
    expect(digest(startDigest(''), text)).toBe(expected);
  });

  it('is the same wherever its text is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (start, rest) => {
        expect(digest(startDigest(start), rest)).toBe(digest(startDigest(''), start + rest));
      }),
    );
  });

  it('leaves its start as it was', () => {
    const start = startDigest('spec');
    const before = digest(start, 'a');
    digest(start, 'b');
    expect(digest(start, 'a')).toBe(before);
  });
});
