import wrapAnsi from 'wrap-ansi';

/** Breaks a plain text into lines of at most so many characters: between words, and within those that are longer. */
export const wrap = (text: string, width: number): readonly string[] =>
  wrapAnsi(text, width, { hard: true, wordWrap: true, trim: true }).split('\n');
