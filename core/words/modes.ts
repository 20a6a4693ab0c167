import type { Words } from './words.ts';

/** The uses of decisions. */
export const MODE_WORDS: Readonly<Record<'act' | 'observe', Words>> = {
  act: { short: 'decisions are carried out', sentence: 'Decisions are carried out.' },
  observe: {
    short: 'decisions are only recorded',
    sentence: 'Decisions are recorded, and nothing is changed in the cluster or in AWS.',
    advice: 'Deploy with mode: act for decisions to be carried out.',
  },
};
