import * as z from 'zod';
import { err, ok, type Result } from '../../../core/model/result.ts';
import type { State } from '../../../core/model/state.ts';
import { pod } from './pod.ts';
import { count, duration, failureClass, group, instance, node, time } from './scalars.ts';

/**
 * The state of one cluster. A part that is absent is empty: a state written before that part existed is still good.
 */
export const state: z.ZodType<State> = z.looseObject({
  unneededSince: z.record(z.string(), time).default({}),
  unregisteredSince: z.record(z.string(), time).default({}),
  backoff: z
    .record(z.string(), z.looseObject({ until: time, duration, lastFailure: time, class: failureClass }))
    .default({}),
  scaleUpRequests: z.array(z.looseObject({ group, increase: z.number(), time, expectedAddTime: time })).default([]),
  deletionsInProgress: z
    .array(z.looseObject({ node, group, kind: z.enum(['empty', 'drain']), since: time }))
    .default([]),
  scaleDownRequests: z.array(z.looseObject({ group, node, time, expectedDeleteTime: time })).default([]),
  unremovableUntil: z.record(z.string(), time).default({}),
  recentEvictions: z.array(pod).default([]),
  promised: z.record(z.string(), z.array(z.looseObject({ kind: z.string(), count }))).default({}),
  lastEvaluation: time.nullable().default(null),
  incorrectSize: z
    .record(z.string(), z.looseObject({ current: count, expected: count, firstObserved: time }))
    .default({}),
  seenErrors: z.record(z.string(), z.array(instance)).default({}),
  shortages: z
    .array(z.looseObject({ type: z.string(), zone: z.string(), capacityType: z.string(), until: time }))
    .default([]),
  repairBackoff: z.record(z.string(), time).default({}),
  lastScaleUp: time.nullable().default(null),
  lastScaleDownDelete: time.nullable().default(null),
  lastScaleDownFailure: time.nullable().default(null),
  groups: z
    .record(
      z.string(),
      z.looseObject({
        lastScaleUp: time.nullable(),
        lastScaleDownDelete: time.nullable(),
        lastScaleDownFailure: time.nullable(),
      }),
    )
    .default({}),
});

/** A state with what had to be left out of it. */
export interface ReadState {
  readonly state: State;
  readonly dropped: readonly { readonly place: string; readonly error: z.ZodError }[];
}

/**
 * Reads a state. Evicted pods are read one by one: a pod whose shape has changed since is worth less than the rest.
 */
export function readState(raw: unknown): Result<ReadState, z.ZodError> {
  const dropped: { readonly place: string; readonly error: z.ZodError }[] = [];
  const parsed = withRawEvictions
    .transform((fields): unknown => ({
      ...fields,
      recentEvictions: fields.recentEvictions.filter((eviction, index) => {
        const { error } = pod.safeParse(eviction);
        if (error !== undefined) {
          dropped.push({ place: `recentEvictions[${index}]`, error });
        }
        return error === undefined;
      }),
    }))
    .pipe(state)
    .safeParse(raw);
  return parsed.success ? ok({ state: parsed.data, dropped }) : err(parsed.error);
}

const withRawEvictions = z.looseObject({ recentEvictions: z.array(z.unknown()).default([]) });
