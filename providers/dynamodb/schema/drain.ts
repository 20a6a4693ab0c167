import * as z from 'zod';
import type { Drain } from '../../../core/model/drain.ts';
import { count, group, instance, node, podKey, time } from './scalars.ts';
import { pod } from './pod.ts';

const eviction = z.looseObject({
  pod: podKey,
  uid: z.string(),
  manifest: pod,
  abridged: z.literal(true).optional(),
  graceSeconds: z.number(),
  firstTriedAt: time,
  giveUpAt: time,
  evictedAt: time.nullable(),
  goneAt: time.nullable(),
  tries: count,
  throttles: count,
  nextTryAt: time,
  refusal: z.string().nullable(),
});

const outcome = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('removed'), at: time }),
  z.looseObject({
    kind: z.literal('rolledBack'),
    at: time,
    failure: z.enum([
      'FailedToMarkToBeDeleted',
      'FailedToEvictPods',
      'FailedToDelete',
      'InternalError',
      'NoLongerRemovable',
      'Gone',
    ]),
    message: z.string(),
    pod: podKey.nullable(),
  }),
]);

/** A drain as it is stored. Fields that a newer version wrote are kept. */
export const drainSchema: z.ZodType<Drain> = z.looseObject({
  id: z.string().min(1),
  node,
  nodeUid: z.string(),
  group,
  instance,
  kind: z.enum(['empty', 'drain']),
  phase: z.enum([
    'Tainting',
    'Settling',
    'Evicting',
    'Delaying',
    'Terminating',
    'Verifying',
    'RollingBack',
    'Removed',
    'RolledBack',
  ]),
  createdAt: time,
  phaseSince: time,
  nextAt: time,
  taintAskedAt: time.nullable(),
  evictions: z.array(eviction),
  terminateAskedAt: time.nullable(),
  waitingFor: z.string().nullable(),
  outcome: outcome.nullable(),
});
