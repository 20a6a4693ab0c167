import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inSentences, isLongEnough, isPointing } from '../../scripts/measure/comments.ts';
import { isForOperators, pagesIn } from '../../scripts/measure/pages.ts';
import { childrenOf, type SyntaxNode, syntaxTree } from '../../scripts/measure/syntax-tree.ts';

const root = join(import.meta.dirname, '../..');
const pages = pagesIn(root).filter(isForOperators);
/** Sources with texts that users read: reasons, messages, options, metrics, help, pages, alarms, and descriptions of fields. */
const programs = globSync('{core,config,providers,functions,cli,cdk}/**/*.ts', { cwd: root });

/** Words for which Kubernetes' documentation has plainer ones: launch, in addition to, again, without effect. */
const WORDS = /\b(?:bought|buys?|buying|beside|anew|in vain|what is left)\b/gi;
/** Habits for which there is a standard word. */
const HABITS = new RegExp(
  [
    // Canceled, rolled back, dropped.
    String.raw`\bg[ai]v(?:e|es|en|ing) up\b`,
    // Upcoming.
    String.raw`\bon (?:its|their) way\b`,
    // Pending pods.
    String.raw`\bpods? (?:that|which) waits?\b|\bwaiting pods?\b|\b(?:no|the|a|each|why) pods? waits\b`,
    // Is kept, is removed.
    String.raw`\bnodes? (?:that |which |may |must |can |is to |are to )?(?:goes|go|stays?|leaves?)\b(?! (?:on|through|tainted)\b)`,
    String.raw`\b(?:why|as|and) (?:it|they) (?:stays?|goes|go)\b|\bgo(?:es)? with it\b`,
    // Exists.
    String.raw`\b(?:nodes?|it|they|ones?|devices|instances|that) (?:is|are|was|were) (?:all |already )?there\b`,
    // Unavailable.
    String.raw`\b(?:be|is|are|was|were) away\b`,
  ].join('|'),
  'gi',
);
/** Words that the style guide of Kubernetes' documentation leaves out: fillers, Latin abbreviations, the first person. */
const FILLERS =
  /\b(?:simply|easily|please|obviously|basically|currently|in order to|via|we|our)\b|\b(?:e\.g|i\.e|etc)\./gi;
const SOURCE = /`(?:core|functions|providers|runtime|cli|cdk|config|scripts|test)\/[^`]*`/g;

/** The text of a page, without its code. */
const textOf = (markdown: string): string =>
  markdown.replaceAll(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g, '').replaceAll(/\s+/g, ' ');
const wordsIn = (text: string): readonly string[] =>
  [WORDS, HABITS, FILLERS].flatMap((words) => text.match(words) ?? []);

/** The texts of a source: its literals and templates of several words. */
function textsIn(node: SyntaxNode): readonly string[] {
  const inside = childrenOf(node).flatMap(textsIn);
  if (node.type === 'Literal' && typeof node['value'] === 'string') {
    return node['value'].includes(' ') ? [node['value']] : inside;
  }
  if (node.type === 'TemplateLiteral') {
    const parts = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
    const text = parts.map(({ value }) => value.cooked).join('X');
    return text.includes(' ') ? [text, ...inside] : inside;
  }
  return inside;
}
const textsOfSource = (source: string): readonly string[] => textsIn(syntaxTree(source));

describe.each(pages)('the page %s for operators', (page) => {
  const markdown = readFileSync(join(root, page), 'utf8');

  test('uses the words of Kubernetes', () => {
    expect(wordsIn(textOf(markdown))).toEqual([]);
  });

  test.skipIf(page === 'README.md')('names no source files', () => {
    expect(markdown.match(SOURCE) ?? []).toEqual([]);
  });
});

describe('the texts of the program', () => {
  const found = (isFault: (text: string) => boolean): readonly string[] =>
    programs.flatMap((file) =>
      textsOfSource(readFileSync(join(root, file), 'utf8'))
        .filter(isFault)
        .map((text) => `${file}: ${text}`),
    );

  test('use the words of Kubernetes', () => {
    expect(found((text) => wordsIn(text).length > 0)).toEqual([]);
  });

  test('name the things that they are about', () => {
    expect(found((text) => inSentences(text).some((part) => isLongEnough(part) && isPointing(part)))).toEqual([]);
  });
});

describe('the check', () => {
  test('leaves out code and addresses of links', () => {
    const page = 'A node is bought [again](what-is-left.md) with `bought`.\n```\nbuy\n```\n';
    expect(wordsIn(textOf(page))).toEqual(['bought']);
    expect(wordsIn(textOf('Please add it via `via`, e.g. now.'))).toEqual(['Please', 'via', 'e.g.']);
  });

  test.each([
    'The replacement is given up.',
    'Nodes on their way.',
    'Pods that wait come first.',
    'No node goes until then.',
    'The node must stay.',
    'Why it stays is known.',
    'On nodes that are there.',
    'Two nodes may be away.',
  ])('finds a habit: %s', (sentence) => {
    expect(wordsIn(sentence)).toHaveLength(1);
  });

  test('lets ordinary uses of these words pass', () => {
    expect(
      wordsIn('A drain of a node goes on. There are nodes. Pods wait for a webhook. A node stays tainted.'),
    ).toEqual([]);
  });

  test('reads literals and templates of a source, not its comments and names', () => {
    const source = "// bought\nconst given = 'up';\nconst a = `given up ${given} nodes`;\nimport b from 'a b';\n";
    expect(textsOfSource(source)).toEqual(['given up X nodes', 'a b']);
  });
});
