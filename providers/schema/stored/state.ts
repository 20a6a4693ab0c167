import * as z from 'zod';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { State } from '@outrigger/core/model/state.ts';
import type { Form, Shape, ShapeOutput } from '../form.ts';
import { type Former, FORMER_FIELDS, withPresentNames } from '../former-names.ts';
import { partIn, stateParts } from '../state.ts';
import { pod } from './pod.ts';
import { failureClass } from '../names.ts';
import { storedCount, storedDuration, storedGroup, storedInstance, storedNode, storedTime } from './scalars.ts';

/**
 * A stored object. What this version does not know is kept: a newer version may have written it. Fields of earlier versions
 * have their present names.
 */
export function stored<S extends z.core.$ZodLooseShape>(shape: S, former: Former = {}) {
  const renamed = Object.fromEntries(Object.entries(former).filter(([, name]) => name !== null));
  return z.preprocess((raw) => withPresentNames(raw, renamed), z.looseObject(shape));
}

/** Values as the core holds them. */
export const STORED: Form = {
  time: storedTime,
  timeOrNull: storedTime.nullable(),
  duration: storedDuration,
  count: storedCount,
  figure: z.number(),
  text: z.string(),
  group: storedGroup,
  node: storedNode,
  instances: z.array(storedInstance),
  failureClass,
  pod,
  list: <T>(item: z.ZodType<T>) => z.array(item) as z.ZodType<readonly T[]>,
  object: <S extends Shape>(shape: S, former?: Former) => stored(shape, former) as unknown as z.ZodType<ShapeOutput<S>>,
};

/**
 * The state of one cluster. A part that is absent is empty: a state written before that part existed is still good.
 */
export const storedState = stored(
  Object.fromEntries(stateParts.map(([name, part]) => [name, partIn(STORED, part)])),
  FORMER_FIELDS.state,
) as unknown as z.ZodType<State>;

/** A state with what had to be left out of it. */
export interface ReadState {
  readonly state: State;
  readonly dropped: readonly { readonly place: string; readonly error: z.ZodError }[];
}

/**
 * Reads a state. Evicted pods are read one by one: one in an incompatible format is dropped and the rest kept.
 */
export function readStoredState(raw: unknown): Result<ReadState, z.ZodError> {
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
    .pipe(storedState)
    .safeParse(raw);
  if (!parsed.success) {
    return err(parsed.error);
  }
  return ok({ state: parsed.data, dropped });
}

const withRawEvictions = z.looseObject({ recentEvictions: z.array(z.unknown()).default([]) });
