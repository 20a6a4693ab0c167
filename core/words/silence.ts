import type { Words } from './words.ts';

/** What can be seen in the stored state alone: scale-up tells of all other functions, and not of itself. */
export const SILENCE = {
  ScaleUpSilent: {
    short: 'scale-up is not evaluated',
    sentence: 'Scale-up has not been evaluated for longer than it should be: no node is added.',
    advice: 'See the log of the ScaleUp function.',
  },
} satisfies Record<'ScaleUpSilent', Words>;
