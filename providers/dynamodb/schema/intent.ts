import * as z from 'zod';
import type { DeleteInstancesIntent, Intent, RemoveNodesIntent, SetSizeIntent } from '../../../core/model/intent.ts';
import { count, failureClass, group, instance, node, time } from './scalars.ts';

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
  z.object({ ...common, kind: z.literal('SetSize'), from: count, to: count, drained: z.array(instance).default([]) }),
  z.object({ ...common, kind: z.literal('DeleteInstances'), instances: z.array(instance), force: z.boolean() }),
  z.object({
    ...common,
    kind: z.literal('RemoveNodes'),
    nodes: z.array(z.object({ node, uid: z.string(), instance, kind: z.enum(['empty', 'drain']) })),
  }),
]);

export const intent = (id: string): z.ZodType<Intent> => stored.transform((fields): Intent => ({ id, ...fields }));

export type StoredIntent =
  | Omit<SetSizeIntent, 'id'>
  | Omit<DeleteInstancesIntent, 'id'>
  | Omit<RemoveNodesIntent, 'id'>;

export function storedIntent(given: Intent): StoredIntent {
  const { group: of, createdAt, status, attempts, claimedUntil, outcome } = given;
  const shared = { group: of, createdAt, status, attempts, claimedUntil, outcome };
  switch (given.kind) {
    case 'SetSize':
      return { kind: given.kind, ...shared, from: given.from, to: given.to, drained: given.drained };
    case 'DeleteInstances':
      return { kind: given.kind, ...shared, instances: given.instances, force: given.force };
    case 'RemoveNodes':
      return { kind: given.kind, ...shared, nodes: given.nodes };
  }
}
