import { fromMarkdown } from 'mdast-util-from-markdown';
import { visit } from 'unist-util-visit';

/** A fenced block of a page: `sh account`, for instance, has the language `sh` and the word `account`. */
export interface Block {
  readonly page: string;
  /** The line of the fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** The words after the language, which readers do not see. */
  readonly words: readonly string[];
  readonly text: string;
}

/** The blocks of a page, in order. Indented ones have no language: they are blocks with an empty one. */
export function blocksIn(page: string, text: string): readonly Block[] {
  const blocks: Block[] = [];
  visit(fromMarkdown(text), 'code', ({ lang, meta, value, position }) => {
    blocks.push({
      page,
      line: position!.start.line,
      language: lang ?? '',
      words: (meta ?? '').split(/\s+/).filter((word) => word !== ''),
      text: value,
    });
  });
  return blocks;
}

/** The value of a word such as `file=cluster.yaml`. */
export const valueOf = ({ words }: Block, name: string): string | undefined =>
  words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
