import { describe, expect, test } from 'vitest';
import { isJudged, isTooLong, namesLittle, sentencesOfPage } from '../../../scripts/measure/pages.ts';

const textsOf = (markdown: string): readonly string[] =>
  sentencesOfPage('docs/a.md', markdown).map(({ line, text }) => `${line}: ${text}`);

describe('the sentences of a page', () => {
  test('are those of paragraphs, list items and cells, with their line', () => {
    const page =
      '# Title\n\nOne sentence.\nAnother\none: and more.\n\n* Item\n  goes on.\n* Next.\n\n| a | b c |\n|---|---|\n';
    expect(textsOf(page)).toEqual([
      '1: Title',
      '3: One sentence.',
      '3: Another one:',
      '3: and more.',
      '7: Item goes on.',
      '9: Next.',
      '11: a',
      '11: b c',
      '12: ---',
      '12: ---',
    ]);
  });

  test('have no blocks of code and no comments, and code in a line is a word', () => {
    const page = '<!-- Written. -->\nSet `a.b. c` ([docs](a.md)).\n\n```sh\nls. pwd.\n```\n**Bold.** End.\n';
    expect(textsOf(page)).toEqual(['2: Set X (docs).', '7: **Bold.**', '7: End.']);
  });
});

const sentence = (words: number, page = 'README.md') => ({ page, line: 1, text: 'pod '.repeat(words) });

test('a sentence is too long from 26 words on, in a page for operators', () => {
  expect(isTooLong(sentence(25))).toBe(false);
  expect(isTooLong(sentence(26))).toBe(true);
  expect(isTooLong(sentence(26, 'docs/contributing.md'))).toBe(false);
});

test('sentences of ten words and more are judged by their share of pronouns', () => {
  const text = 'One that has those of the others is what it is.';
  expect(namesLittle({ page: 'README.md', line: 1, text })).toBe(true);
  expect(isJudged({ page: 'README.md', line: 1, text })).toBe(true);
  expect(isJudged(sentence(9))).toBe(false);
});
