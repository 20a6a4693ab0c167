import { presentItems } from '../model/values/optional.ts';

/** How one typed reason reads. Every union of reasons has one table of these, with a row for each of its members. */
export interface Words {
  /** For tables and lists: at most 40 characters, without a full stop. */
  readonly short: string;
  /** For logs, events and the documentation: whole sentences, true of every case of the reason. */
  readonly sentence: string;
  /** Advice for a person, in whole sentences; absent where there is nothing to do. */
  readonly advice?: string;
}

/** The meaning of several reasons together. */
export const sentencesOf = (words: readonly Words[]): string => words.map(({ sentence }) => sentence).join(' ');

/** The advice of several reasons together; `null` where there is nothing to do. */
export const adviceOf = (words: readonly Words[]): string | null =>
  presentItems(words.map(({ advice }) => advice)).join(' ') || null;
