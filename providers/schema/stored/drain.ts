import * as z from 'zod';
import type { Drain, DrainFailure, DrainPhase } from '@outrigger/core/model/drain.ts';
import type { DrainBlocker } from '@outrigger/core/model/drain-blocker.ts';
import { DRAIN_PHASES, WHY_DRAIN_FAILED } from '@outrigger/core/words/drain.ts';
import { DRAIN_BLOCKERS } from '@outrigger/core/words/drain-blockers.ts';
import { drainNotice } from './notice.ts';
import { storedCount, storedGroup, storedInstance, storedNode, storedPodKey, storedTime } from './scalars.ts';
import { pod } from './pod.ts';

const eviction = z.looseObject({
  pod: storedPodKey,
  uid: z.string(),
  manifest: pod,
  abridged: z.literal(true).optional(),
  graceSeconds: z.number(),
  firstTriedAt: storedTime,
  giveUpAt: storedTime,
  evictedAt: storedTime.nullable(),
  goneAt: storedTime.nullable(),
  tries: storedCount,
  throttles: storedCount,
  nextTryAt: storedTime,
  refusal: z.string().nullable(),
});

/** Absent in older drains. One that only a newer version knows is none here: the message says it all the same. */
const blocker = z
  .enum(Object.keys(DRAIN_BLOCKERS) as readonly DrainBlocker['kind'][])
  .nullable()
  .catch(null)
  .default(null);

const outcome = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('removed'), at: storedTime }),
  z.looseObject({
    kind: z.literal('rolledBack'),
    at: storedTime,
    failure: z.enum(Object.keys(WHY_DRAIN_FAILED) as readonly DrainFailure[]),
    blocker,
    message: z.string(),
    pod: storedPodKey.nullable(),
  }),
]);

const PHASES = Object.keys(DRAIN_PHASES) as readonly DrainPhase[];

/** Earlier names of three phases, so that stored drains continue. */
const FORMER_PHASES: Readonly<Record<string, DrainPhase>> = {
  Settling: 'Validating',
  Delaying: 'DeletionDelay',
  Verifying: 'AwaitingTermination',
};

const phase = z.codec(z.enum([...PHASES, ...Object.keys(FORMER_PHASES)]), z.enum(PHASES), {
  decode: (stored) => FORMER_PHASES[stored] ?? (stored as DrainPhase),
  encode: (current) => current,
});

/** A drain as it is stored. Fields that a newer version wrote are kept. */
export const drainSchema: z.ZodType<Drain> = z.looseObject({
  id: z.string().min(1),
  node: storedNode,
  nodeUid: z.string(),
  group: storedGroup,
  instance: storedInstance,
  kind: z.enum(['empty', 'drain']),
  phase,
  createdAt: storedTime,
  phaseSince: storedTime,
  nextAt: storedTime,
  taintAskedAt: storedTime.nullable(),
  evictions: z.array(eviction),
  terminateAskedAt: storedTime.nullable(),
  waitingFor: z.string().nullable(),
  outcome: outcome.nullable(),
  together: storedCount.optional(),
  notice: drainNotice.optional(),
});
