import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { flagOf } from '../../config/flags.ts';

/** A flag as a command line gives it, without its dashes. */
export interface GivenFlag {
  readonly name: string;
  readonly value: string;
}

const PROGRAM = /(?:^|\/)cluster-autoscaler$/;
/** Operators that end a command in a shell, or send its output elsewhere. */
const SHELL_OPERATOR = /^(?:\|\|?|&&?|;|\d?>{1,2}.*)$/;
const FLAG = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s;
const NEGATIVE_NUMBER = /^-\d/;

/**
 * Reads the flags of a command line of Cluster Autoscaler: `--flag=value`, `--flag value`, `--flag`; with one dash or two;
 * as a list of arguments or as one text for a shell.
 *
 * @returns the flags in their order, repeated ones repeated
 */
export function flagsIn(command: readonly string[]): readonly GivenFlag[] {
  const words = command.flatMap(wordsOf);
  const program = words.findIndex((word) => PROGRAM.test(word));
  const given = words.slice(program + 1);
  const end = given.findIndex((word) => SHELL_OPERATOR.test(word));
  return pairs(end === -1 ? given : given.slice(0, end));
}

function pairs(words: readonly string[]): readonly GivenFlag[] {
  const flags: GivenFlag[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const [, name, value] = FLAG.exec(itemAt(words, index)) ?? [];
    if (name === undefined) {
      continue;
    }
    const next = words[index + 1];
    if (value !== undefined) {
      flags.push({ name, value });
    } else if (
      flagOf(name)?.value === 'boolean' ||
      next === undefined ||
      (FLAG.test(next) && !NEGATIVE_NUMBER.test(next))
    ) {
      // A boolean does not take the word after it for its value.
      flags.push({ name, value: 'true' });
    } else {
      flags.push({ name, value: next });
      index += 1;
    }
  }
  return flags;
}

/** The words of one argument: one, unless it is a text for a shell. */
function wordsOf(argument: string): readonly string[] {
  const text = argument.replaceAll(/\\\r?\n/g, ' ').trim();
  return /^--?[\w-]+=/.test(text) && !/\s--?[A-Za-z]/.test(text) ? [unquoted(text)] : shellWords(text);
}

const shellWords = (text: string): readonly string[] =>
  [...text.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|["'\\])+/g)].map(([word]) => unquoted(word));

const unquoted = (word: string): string =>
  word.replaceAll(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
    (_match, double?: string, single?: string) => double ?? single ?? '',
  );
