import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRegularExpression } from '../../../../core/model/values/regular-expression.ts';
import { cases } from '../../../cases.ts';

function matches(pattern: string, text: string): boolean {
  const compiled = compileRegularExpression(pattern);
  if (!compiled.ok) {
    throw new Error(`${pattern}: ${compiled.error}`);
  }
  return compiled.value.matches(text);
}

describe('patterns that people write for node groups', () => {
  test.each([
    ['.*t2\\.large.*', ['asg-t2.large-a', 't2.large'], ['asg-t2-large-a', 't2xlarge']],
    ['spot', ['spot', 'eks-spot-a', 'nospot'], ['SPOT', 'spo']],
    ['^eks-(gpu|ml)-[a-z0-9]+$', ['eks-gpu-1a', 'eks-ml-x'], ['my-eks-gpu-1a', 'eks-gpu-', 'eks-gpu-A']],
    ['(?i)SPOT', ['eks-Spot-a'], ['on-demand']],
    ['.*', ['', 'anything'], []],
    ['', ['', 'anything'], []],
    ['web-[^ab]$', ['web-c'], ['web-a', 'web-']],
    ['a{2,3}b', ['aab', 'aaaab'], ['ab']],
  ])('%s', (pattern, yes, no) => {
    expect(yes.filter((text) => !matches(pattern, text))).toEqual([]);
    expect(no.filter((text) => matches(pattern, text))).toEqual([]);
  });
});

describe('what Go reads otherwise than JavaScript', () => {
  test.each([
    { pattern: 'web\\z', text: 'web', found: true },
    { pattern: 'web\\z', text: 'webz', found: false },
    { pattern: '\\Aweb', text: 'my-web', found: false },
    { pattern: '[[:digit:]]{2}', text: 'a12', found: true },
    { pattern: '[[:^digit:]]', text: '12', found: false },
    { pattern: '[]a]', text: ']', found: true },
    { pattern: '\\Qa.b*\\E$', text: 'a.b*', found: true },
    { pattern: '\\Qa.b*\\E$', text: 'axbb', found: false },
    { pattern: '(?P<zone>us-east-1[ab])', text: 'g-us-east-1b', found: true },
    { pattern: 'x(?i)web', text: 'xWEB', found: true },
    { pattern: 'x(?i)web', text: 'XWEB', found: false },
    { pattern: '(?i:w)eb', text: 'Web', found: true },
    { pattern: '(?i:w)eb', text: 'WEB', found: false },
    { pattern: '(?s)a.b', text: 'a\nb', found: true },
    { pattern: 'a.b', text: 'a\nb', found: false },
    { pattern: 'a$', text: 'a\n', found: false },
    { pattern: '(?m)a$', text: 'a\nb', found: true },
    { pattern: '\\pL', text: '1é', found: true },
    { pattern: '\\p{Greek}', text: 'abc', found: false },
    { pattern: '\\x{e9}', text: 'é', found: true },
    { pattern: '\\101', text: 'A', found: true },
    { pattern: '\\s', text: '\v', found: false },
    { pattern: 'a{,3}', text: 'a{,3}', found: true },
    { pattern: '}{]', text: '}{]', found: true },
    { pattern: '(?i)k', text: '\u212a', found: true },
    { pattern: '(|a)*b', text: 'aab', found: true },
    { pattern: '^*a', text: 'a', found: true },
  ])('$pattern in $text: $found', ({ pattern, text, found }) => {
    expect(matches(pattern, text)).toBe(found);
  });
});

test.each([
  ['(', 'missing closing ): `(`'],
  ['a)', 'unexpected ): `a)`'],
  ['[a', 'missing closing ]: `[a`'],
  ['[z-a]', 'invalid character class range: `z-a`'],
  ['[[:letter:]]', 'invalid character class range: `[:letter:]`'],
  ['\\p{Klingon}', 'invalid character class range: `\\p{Klingon}`'],
  ['*.large', 'missing argument to repetition operator: `*`'],
  ['a|*', 'missing argument to repetition operator: `*`'],
  ['a**', 'invalid nested repetition operator: `**`'],
  ['a{3,1}', 'invalid repeat count: `{3,1}`'],
  ['a{1001}', 'invalid repeat count: `{1001}`'],
  ['(a{40}){40}', 'invalid repeat count: `{40}`'],
  ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
  ['(?<!a)', 'invalid named capture: `(?<!a)`'],
  ['(?P<n>a)(?P<n>b)', 'duplicate capture group name: `n`'],
  ['(a)\\1', 'invalid escape sequence: `\\1`'],
  ['\\y', 'invalid escape sequence: `\\y`'],
  ['a\\', 'trailing backslash at end of expression'],
])('%s is refused: %s', (pattern, message) => {
  expect(compileRegularExpression(pattern)).toEqual({ ok: false, error: message });
});

test.each([
  { what: 'long', pattern: 'a'.repeat(1_001), message: 'expression longer than 1000 characters' },
  { what: 'large', pattern: 'a{999}'.repeat(11), message: 'expression too large' },
])('a pattern that is too $what is refused', ({ pattern, message }) => {
  expect(compileRegularExpression(pattern)).toEqual({ ok: false, error: message });
});

test('patterns on which backtracking takes for ever are as quick as others', () => {
  const text = 'a'.repeat(255);
  for (const pattern of ['(a+)+b', '(a|aa)+$b', '(a|a)*b', '.*.*.*.*.*.*.*b', '(a?){200}a{200}b']) {
    expect(matches(pattern, text)).toBe(false);
  }
});

describe('as JavaScript, where both read a pattern alike', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '-',
    '.',
    '[ab]',
    '[^a]',
    '[a-c]',
    '\\d',
    '\\W',
    '\\.',
    'a*',
    'b+',
    'a?',
    '(?:ab|b)',
    '(a|b)*',
    '(?:a|)',
    'b{2}',
    'a{1,2}',
    '|',
    '^',
    '$',
    '\\b',
  );
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-', '1'), maxLength: 8 });
  test('the same texts match', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 7 }), text, (pieces, within) => {
        const pattern = pieces.join('');
        expect(matches(pattern, within)).toBe(new RegExp(pattern, 'u').test(within));
      }),
      { numRuns: cases(2_000) },
    );
  });
});
