import * as z from 'zod';
import type { Drain, DrainFailure, DrainPhase } from '../../../core/model/drain.ts';
import type { DrainBlocker } from '../../../core/model/drain-blocker.ts';
import { DRAIN_PHASES, WHY_DRAIN_FAILED } from '../../../core/words/drain.ts';
import { DRAIN_BLOCKERS } from '../../../core/words/drain-blockers.ts';
import { drainNotice } from './notice.ts';
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

/** Absent in older drains. One that only a newer version knows is none here: the message says it all the same. */
const blocker = z
  .unknown()
  .default(null)
  .transform((kind) =>
    typeof kind === 'string' && Object.hasOwn(DRAIN_BLOCKERS, kind) ? (kind as DrainBlocker['kind']) : null,
  );

const outcome = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('removed'), at: time }),
  z.looseObject({
    kind: z.literal('rolledBack'),
    at: time,
    failure: z.enum(Object.keys(WHY_DRAIN_FAILED) as readonly DrainFailure[]),
    blocker,
    message: z.string(),
    pod: podKey.nullable(),
  }),
]);

const PHASES = Object.keys(DRAIN_PHASES) as readonly DrainPhase[];

/** Earlier names of three phases, so that stored drains continue. */
const FORMER_PHASES = { Settling: 'Validating', Delaying: 'DeletionDelay', Verifying: 'AwaitingTermination' } as const;

const phase = z.codec(z.enum([...PHASES, 'Settling', 'Delaying', 'Verifying']), z.enum(PHASES), {
  decode: (stored) =>
    stored in FORMER_PHASES ? FORMER_PHASES[stored as keyof typeof FORMER_PHASES] : (stored as DrainPhase),
  encode: (current) => current,
});

/** A drain as it is stored. Fields that a newer version wrote are kept. */
export const drainSchema: z.ZodType<Drain> = z.looseObject({
  id: z.string().min(1),
  node,
  nodeUid: z.string(),
  group,
  instance,
  kind: z.enum(['empty', 'drain']),
  phase,
  createdAt: time,
  phaseSince: time,
  nextAt: time,
  taintAskedAt: time.nullable(),
  evictions: z.array(eviction),
  terminateAskedAt: time.nullable(),
  waitingFor: z.string().nullable(),
  outcome: outcome.nullable(),
  together: count.optional(),
  notice: drainNotice.optional(),
});
