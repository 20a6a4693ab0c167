/** Words that stand for a thing without naming it. */
const POINTING = new Set(
  'it its they them their those that this these one ones such what which where who whose other others there'.split(' '),
);
const MOST_POINTING = 0.25;
/** Shorter sentences are read at a glance. */
const FEWEST_WORDS = 10;

export interface Line {
  readonly code: string;
  readonly comment: string;
}

/** The lines of a source: what is in comments, and the code around them without the content of its strings. */
export function linesOf(source: string): readonly Line[] {
  let inComment = false;
  return source.split('\n').map((line) => {
    if (inComment || /^\s*\/\*/.test(line)) {
      inComment = !line.includes('*/');
      return { code: '', comment: line };
    }
    const code = line.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "''");
    const start = code.search(/(?:^|\s)\/\/\s/);
    return start < 0 ? { code, comment: '' } : { code: code.slice(0, start), comment: code.slice(start) };
  });
}

/** Number of lines with code. */
export const linesOfCode = (source: string): number => linesOf(source).filter(({ code }) => code.trim() !== '').length;

/** The text of each comment, without its marks; code in it is a word. */
export function commentsOf(source: string): readonly string[] {
  const comments: string[] = [];
  let open = false;
  for (const { code, comment } of linesOf(source)) {
    const text = comment
      .replace(/^\s*(?:\/\*+|\*(?!\/)|\/\/)/, '')
      .replace(/\*\/.*$/, '')
      .replaceAll(/`[^`]*`/g, 'X')
      .replaceAll(/@\w+/g, '');
    if (comment === '') {
      open = false;
    } else if (open && code === '' && !/^\s*\/\*/.test(comment)) {
      comments[comments.length - 1] += ` ${text.trim()}`;
    } else {
      comments.push(text.trim());
      open = code === '';
    }
    open &&= !comment.includes('*/');
  }
  return comments;
}

const wordsOf = (sentence: string): readonly string[] => sentence.toLowerCase().match(/[a-z']+/g) ?? [];

/** A colon or a semicolon ends a sentence, too. */
export const inSentences = (text: string): readonly string[] => text.split(/(?<=[.:;!?][*"”)]*)\s+/);

export const isLongEnough = (sentence: string): boolean => wordsOf(sentence).length >= FEWEST_WORDS;

/** Sentences of comments that are long enough to be judged. */
export const sentencesOf = (source: string): readonly string[] =>
  commentsOf(source).flatMap(inSentences).filter(isLongEnough);

/** Are more than a quarter of the words of a sentence words that point? */
export function isPointing(sentence: string): boolean {
  const words = wordsOf(sentence);
  return words.filter((word) => POINTING.has(word)).length > words.length * MOST_POINTING;
}

export const pointingSentencesOf = (source: string): readonly string[] => sentencesOf(source).filter(isPointing);
