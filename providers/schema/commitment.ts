import * as z from 'zod';
import { type Commitment, INSTANCE_COMMITMENT_KINDS } from '@outrigger/core/model/commitment.ts';
import { closed, flag, orNull, recordTable } from './document.ts';
import { choice } from './names.ts';

const A_NUMBER = 'an integer of at least 0';
const number = z.int(A_NUMBER).min(0, A_NUMBER);
const text = z.string('a string').min(1, 'a string');
const AN_AMOUNT = 'a positive number, in USD per hour';
const amount = z.number(AN_AMOUNT).positive(AN_AMOUNT);

/** Capacity that is paid for, in a scenario. */
export const commitment: z.ZodType<Commitment> = z.discriminatedUnion('kind', [
  closed({
    kind: choice(INSTANCE_COMMITMENT_KINDS),
    type: text,
    zone: orNull(text),
    count: number,
    available: orNull(number),
    coversSizes: flag,
  }),
  closed({
    kind: z.literal('SavingsPlan'),
    family: orNull(text),
    commitment: amount,
    rates: recordTable(amount),
  }),
  closed({ kind: z.literal('Unread'), call: text }),
]);
