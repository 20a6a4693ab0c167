import type { Words } from './words.ts';

/** Overdue work that the stored state alone shows: scale-up reports on all other functions, and not on itself. */
export const SILENCE = {
  ScaleUpSilent: {
    short: 'scale-up is not evaluated',
    sentence: 'Scale-up has not been evaluated for longer than it should be: no node is added.',
    advice: 'See the log of the ScaleUp function.',
  },
} satisfies Record<'ScaleUpSilent', Words>;
