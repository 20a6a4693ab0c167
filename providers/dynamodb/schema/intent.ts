import * as z from 'zod';
import type { DeleteInstancesIntent, Intent, SetSizeIntent } from '../../../core/model/ports.ts';
import { count, failureClass, group, instance, time } from './scalars.ts';

const common = {
  group,
  createdAt: time,
  status: z.enum(['pending', 'done', 'refused', 'failed']),
  attempts: count,
  claimedUntil: time.nullable(),
  outcome: z.object({ message: z.string(), class: failureClass.nullable() }).nullable(),
};

/** An intent as it is stored; its id is its key in the item's map. */
const stored = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('SetSize'), from: count, to: count }),
  z.object({ ...common, kind: z.literal('DeleteInstances'), instances: z.array(instance), force: z.boolean() }),
]);

export const intent = (id: string): z.ZodType<Intent> => stored.transform((fields): Intent => ({ id, ...fields }));

export type StoredIntent = Omit<SetSizeIntent, 'id'> | Omit<DeleteInstancesIntent, 'id'>;

export function storedIntent(given: Intent): StoredIntent {
  const { group: of, createdAt, status, attempts, claimedUntil, outcome } = given;
  const shared = { group: of, createdAt, status, attempts, claimedUntil, outcome };
  return given.kind === 'SetSize'
    ? { kind: given.kind, ...shared, from: given.from, to: given.to }
    : { kind: given.kind, ...shared, instances: given.instances, force: given.force };
}
