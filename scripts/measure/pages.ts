import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inSentences, isLongEnough, isPointing } from './comments.ts';

/** A sentence of a page, with the line of its paragraph, list item or cell. */
export interface PageSentence {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

/** Pages for contributors, and pages that quote names of tests or files. */
const FOR_CONTRIBUTORS =
  /^docs\/(?:README|contributing|failure-modes|fault-simulation|glossary|hostile-objects|planted-defects|scheduler-conformance|threat-model)\.md$/;
/** Words of a sentence in a page for operators. */
const MOST_WORDS = 25;
/** A list item, a quotation, a row of a table or a heading: none goes on with the paragraph before it. */
const ITEM = /^\s*(?:(?:[-*+>]|\d+\.|#+)\s|\|)/;

/** The pages of a tree, without decisions. @param root folder of the tree */
export const pagesIn = (root: string): readonly string[] =>
  ['README.md', 'SECURITY.md', 'docs/*.md'].flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted());

export const isForOperators = (page: string): boolean => !FOR_CONTRIBUTORS.test(page);

/** @param root folder of the tree */
export const sentencesInPages = (root: string): readonly PageSentence[] =>
  pagesIn(root).flatMap((page) => sentencesOfPage(page, readFileSync(join(root, page), 'utf8')));

/** The sentences of a page, in cells of tables too, without its blocks of code and comments. Code in a line is a word. */
export const sentencesOfPage = (page: string, markdown: string): readonly PageSentence[] =>
  paragraphsOf(withoutCode(markdown)).flatMap(({ line, text }) =>
    inSentences(text).map((sentence) => ({ page, line, text: sentence })),
  );

export const isTooLong = ({ page, text }: PageSentence): boolean =>
  isForOperators(page) && (text.match(/[\p{L}\p{N}][\p{L}\p{N}'’_-]*/gu) ?? []).length > MOST_WORDS;

export const namesLittle = ({ text }: PageSentence): boolean => isPointing(text);

export const isJudged = ({ text }: PageSentence): boolean => isLongEnough(text);

const withoutCode = (markdown: string): string =>
  markdown
    .replaceAll(/^[ \t]*```[\s\S]*?^[ \t]*```|<!--[\s\S]*?-->/gm, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`]*`/g, 'X')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');

function paragraphsOf(markdown: string): readonly Pick<PageSentence, 'line' | 'text'>[] {
  const paragraphs: { readonly line: number; text: string }[] = [];
  let isOpen = false;
  markdown.split('\n').forEach((row, index) => {
    const isTable = row.startsWith('|');
    if (isOpen && !isTable && row.trim() !== '' && !ITEM.test(row)) {
      paragraphs.at(-1)!.text += ` ${row.trim()}`;
      return;
    }
    const texts = row.replace(ITEM, '').split(isTable ? '|' : '\n');
    paragraphs.push(...texts.map((text) => ({ line: index + 1, text: text.trim() })));
    isOpen = row.trim() !== '' && !isTable;
  });
  return paragraphs.filter(({ text }) => text !== '');
}
