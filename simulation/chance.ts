import { randomFrom, type Span } from '@outrigger/core/model/values/random.ts';

/** The random numbers of one subject. */
export interface Chance {
  /** In [0, 1). */
  readonly next: () => number;
  /** A whole number of the span, both ends included. */
  readonly within: (span: Span) => number;
  /** An entry of a list that is not empty. */
  readonly oneOf: <T>(from: readonly T[]) => T;
  /** A text of a number of characters of the alphabet. */
  readonly text: (length: number, alphabet: string) => string;
}

/**
 * A separate random stream for every subject, so that an additional draw for one group, for example, does not change
 * the events of another.
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
    oneOf: (from) => from[Math.floor(next() * from.length)]!,
    text: (length, alphabet) => Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]!).join(''),
  };
}

/** Kubernetes' alphabet of random names: no vowels, no similar characters. */
export const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
export const HEX = '0123456789abcdef';
