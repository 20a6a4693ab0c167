import wrapAnsi from 'wrap-ansi';

/** Breaks plain text into lines of at most `width` characters: between words, and within words that are longer. */
export const wrap = (text: string, width: number): readonly string[] =>
  wrapAnsi(text, width, { hard: true, wordWrap: true, trim: true }).split('\n');
