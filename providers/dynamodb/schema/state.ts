import * as z from 'zod';
import { err, ok, type Result } from '../../../core/model/result.ts';
import type { State } from '../../../core/model/state.ts';
import { pod } from './pod.ts';
import { count, duration, failureClass, group, instance, node, time } from './scalars.ts';

export const backoff = z.looseObject({ until: time, duration, lastFailure: time, class: failureClass });
export const scaleUpRequest = z.looseObject({ group, increase: z.number(), time, expectedAddTime: time });
export const deletionInProgress = z.looseObject({ node, group, kind: z.enum(['empty', 'drain']), since: time });
export const scaleDownRequest = z.looseObject({ group, node, time, expectedDeleteTime: time });
export const promisedPlaces = z.array(z.looseObject({ kind: z.string(), count }));
export const groupPacking = z.looseObject({ method: z.string(), nodes: z.array(promisedPlaces), spare: count });
export const incorrectSize = z.looseObject({ current: count, expected: count, firstObserved: time });
export const seenErrors = z.array(instance);
export const shortage = z.looseObject({ type: z.string(), zone: z.string(), capacityType: z.string(), until: time });
export const groupTimes = z.looseObject({
  lastScaleUp: time.nullable(),
  lastScaleDownDelete: time.nullable(),
  lastScaleDownFailure: time.nullable(),
});

const byName = <T>(value: z.ZodType<T>) => z.record(z.string(), value).default({});

/**
 * The state of one cluster. A part that is absent is empty: a state written before that part existed is still good.
 */
export const state: z.ZodType<State> = z.looseObject({
  unneededSince: byName(time),
  unregisteredSince: byName(time),
  backoff: byName(backoff),
  scaleUpRequests: z.array(scaleUpRequest).default([]),
  deletionsInProgress: z.array(deletionInProgress).default([]),
  scaleDownRequests: z.array(scaleDownRequest).default([]),
  unremovableUntil: byName(time),
  recentEvictions: z.array(pod).default([]),
  promised: byName(promisedPlaces),
  packing: byName(groupPacking),
  lastEvaluation: time.nullable().default(null),
  lastScaleUpEvaluation: time.optional(),
  incorrectSize: byName(incorrectSize),
  seenErrors: byName(seenErrors),
  shortages: z.array(shortage).default([]),
  repairBackoff: byName(time),
  lastScaleUp: time.nullable().default(null),
  lastScaleDownDelete: time.nullable().default(null),
  lastScaleDownFailure: time.nullable().default(null),
  groups: byName(groupTimes),
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
