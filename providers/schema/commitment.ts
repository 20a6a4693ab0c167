import * as z from 'zod';
import { type Commitment, COMMITMENT_KINDS } from '@outrigger/core/model/commitment.ts';
import { closed, flag, orNull } from './document.ts';
import { choice } from './names.ts';

const A_NUMBER = 'an integer of at least 0';
const number = z.int(A_NUMBER).min(0, A_NUMBER);
const text = z.string('a string').min(1, 'a string');

/** Capacity that is paid for, in a scenario. */
export const commitment: z.ZodType<Commitment> = closed({
  kind: choice(COMMITMENT_KINDS),
  type: text,
  zone: orNull(text),
  count: number,
  available: orNull(number),
  coversSizes: flag,
});
