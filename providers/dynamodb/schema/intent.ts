import * as z from 'zod';
import type { Intent } from '../../../core/model/ports.ts';
import { count, failureClass, group, time } from './scalars.ts';

/** An intent as it is stored; its id is its key in the item's map. */
const stored = z.object({
  kind: z.literal('SetSize'),
  group,
  from: count,
  to: count,
  createdAt: time,
  status: z.enum(['pending', 'done', 'refused', 'failed']),
  attempts: count,
  claimedUntil: time.nullable(),
  outcome: z.object({ message: z.string(), class: failureClass.nullable() }).nullable(),
});

export const intent = (id: string): z.ZodType<Intent> => stored.transform((fields): Intent => ({ id, ...fields }));

export function storedIntent(given: Intent): Omit<Intent, 'id'> {
  const { kind, group: of, from, to, createdAt, status, attempts, claimedUntil, outcome } = given;
  return { kind, group: of, from, to, createdAt, status, attempts, claimedUntil, outcome };
}
