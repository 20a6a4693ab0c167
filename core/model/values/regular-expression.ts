import { RE2JS, RE2JSSyntaxException } from 're2js';
import { err, ok, type Result } from './result.ts';

/** A regular expression as Go's package regexp has it. */
export interface RegularExpression {
  /** Is there a match anywhere in the text? Takes time in proportion to the text's length, whatever the pattern. */
  readonly matches: (text: string) => boolean;
  /** Steps of the compiled program. */
  readonly size: number;
}

/** Longer patterns are refused. Go has no such bound; names of node groups are 255 characters at most. */
const MAX_CHARACTERS = 1_000;
/** Larger programs are refused: `(a{30}){30}` is written quickly. Go's own bound is on the memory of the parsed pattern. */
const MAX_SIZE = 10_000;

/** The prefix of Go's messages. */
const PREFIX = 'error parsing regexp: ';

/**
 * Compiles a pattern of Go's regular expressions (RE2): the syntax of Perl without what needs backtracking.
 *
 * JavaScript's own expressions will not do. They read some of these patterns differently (`(?i)`, `\z`, `[[:alpha:]]`),
 * accept what Go refuses, and take exponential time for others; these come from a ConfigMap that many may write.
 *
 * @returns the expression, or what is wrong with the pattern, in Go's words (https://pkg.go.dev/regexp/syntax).
 */
export function compileRegularExpression(pattern: string): Result<RegularExpression, string> {
  if (pattern.length > MAX_CHARACTERS) {
    return err(`expression longer than ${MAX_CHARACTERS} characters`);
  }
  try {
    const compiled = RE2JS.compile(pattern);
    const size = compiled.programSize();
    if (size > MAX_SIZE) {
      return err('expression too large');
    }
    return ok({ matches: (text) => compiled.matcher(text).find(), size });
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) {
      return err(error.message.replace(PREFIX, ''));
    }
    throw error;
  }
}
