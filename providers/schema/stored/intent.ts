import * as z from 'zod';
import type { DeleteInstancesIntent, Intent, RemoveNodesIntent, SetSizeIntent } from '@outrigger/core/model/intent.ts';
import { failureClass } from '../names.ts';
import { drainNotice } from './notice.ts';
import { storedCount, storedGroup, storedInstance, storedNode, storedTime } from './scalars.ts';

const common = {
  group: storedGroup,
  createdAt: storedTime,
  status: z.enum(['pending', 'done', 'refused', 'failed']),
  attempts: storedCount,
  claimedUntil: storedTime.nullable(),
  outcome: z.object({ message: z.string(), class: failureClass.nullable() }).nullable(),
};

const fields = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('SetSize'),
    ...common,
    from: storedCount,
    to: storedCount,
    drained: z.array(storedInstance).default([]),
  }),
  z.object({ kind: z.literal('DeleteInstances'), ...common, instances: z.array(storedInstance), force: z.boolean() }),
  z.object({
    kind: z.literal('RemoveNodes'),
    ...common,
    nodes: z.array(
      z.object({
        node: storedNode,
        uid: z.string(),
        instance: storedInstance,
        kind: z.enum(['empty', 'drain']),
        together: storedCount.optional(),
        notice: drainNotice.optional(),
      }),
    ),
  }),
]);

/** An intent as it is stored, without its id, which is the key in the map of the item. */
export type StoredIntent =
  | Omit<SetSizeIntent, 'id'>
  | Omit<DeleteInstancesIntent, 'id'>
  | Omit<RemoveNodesIntent, 'id'>;

export const storedIntent = (id: string): z.ZodType<Intent> =>
  fields.transform((stored): Intent => ({ id, ...stored }));

/** The form of `storedIntent`. Never fails: what cannot be read again is left out by the next load, and reported. */
export function writeIntent(intent: Intent): StoredIntent {
  const { id: _, ...stored } = intent;
  return stored;
}
