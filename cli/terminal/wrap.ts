import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Breaks plain text into lines of at most `width` columns: between words, and within words that are longer. */
export const wrap = (text: string, width: number): readonly string[] =>
  wrapAnsi(text, width, { hard: true, wordWrap: true, trim: true }).split('\n');

/** A text of at most `width` columns; one that is wider ends with `…`, and no character is cut in two. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) {
    return text;
  }
  const [begin = ''] = wrapAnsi(text, width - 1, { hard: true, wordWrap: false, trim: false }).split('\n');
  return `${begin}…`;
}

/** The columns that the widest of texts takes: two for each wide character, such as those of Chinese. */
export const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => stringWidth(text)));
