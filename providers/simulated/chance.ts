import { randomFrom } from '../../core/model/values/random.ts';

/** From, to: in milliseconds where nothing else is said. */
export interface Span {
  readonly min: number;
  readonly max: number;
}

/** One subject's source of chance. */
export interface Chance {
  /** In [0, 1). */
  readonly next: () => number;
  /** A whole number of the span, both ends included. */
  readonly within: (span: Span) => number;
  /** So many characters of the alphabet. */
  readonly text: (length: number, alphabet: string) => string;
}

/**
 * A stream of its own for every subject, so that one more draw for one group, say, leaves what happens to the others as
 * it was.
 */
export function chanceFor(seed: number, subject: string): Chance {
  let mixed = seed >>> 0;
  for (let i = 0; i < subject.length; i++) {
    mixed = Math.imul(mixed ^ subject.charCodeAt(i), 0x01000193);
  }
  const next = randomFrom(mixed);
  return {
    next,
    within: ({ min, max }) => min + Math.floor(next() * (max - min + 1)),
    text: (length, alphabet) => Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]!).join(''),
  };
}

/** What Kubernetes makes random names of: no vowels, nothing that looks like something else. */
export const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
export const HEX = '0123456789abcdef';
