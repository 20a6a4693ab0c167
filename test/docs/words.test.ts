import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** Pages for contributors, and pages that quote names of tests or files. */
const OTHERS =
  /^docs\/(?:README|contributing|failure-modes|fault-simulation|glossary|hostile-objects|planted-defects|scheduler-conformance|threat-model)\.md$/;
const pages = ['README.md', 'SECURITY.md', ...globSync('docs/*.md', { cwd: root })].filter(
  (page) => !OTHERS.test(page),
);

/** Words for which Kubernetes' documentation has plainer ones: launch, in addition to, again, without effect. */
const WORDS = /\b(?:bought|buys?|buying|beside|anew|in vain|what is left)\b/gi;
/** Words that the style guide of Kubernetes' documentation leaves out: fillers, Latin abbreviations, the first person. */
const FILLERS =
  /\b(?:simply|easily|please|obviously|basically|currently|in order to|via|we|our)\b|\b(?:e\.g|i\.e|etc)\./gi;
const SOURCE = /`(?:core|functions|providers|runtime|cli|cdk|config|scripts|test)\/[^`]*`/g;

/** The text of a page, without its code. */
const textOf = (markdown: string): string => markdown.replaceAll(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g, '');
const wordsIn = (markdown: string): readonly string[] =>
  [WORDS, FILLERS].flatMap((words) => textOf(markdown).match(words) ?? []);

describe.each(pages)('the page %s for operators', (page) => {
  const markdown = readFileSync(join(root, page), 'utf8');

  test('uses the words of Kubernetes', () => {
    expect(wordsIn(markdown)).toEqual([]);
  });

  test.skipIf(page === 'README.md')('names no source files', () => {
    expect(markdown.match(SOURCE) ?? []).toEqual([]);
  });
});

test('words in code and in addresses of links are free', () => {
  expect(wordsIn('A node is bought [again](what-is-left.md) with `bought`.\n```\nbuy\n```\n')).toEqual(['bought']);
  expect(wordsIn('Please add it via `via`, e.g. now.')).toEqual(['Please', 'via', 'e.g.']);
});
