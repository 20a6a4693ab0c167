import { valueOf } from '@outrigger/core/model/values/records.ts';
import * as z from 'zod';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { State } from '@outrigger/core/model/state.ts';
import type { Form, Shape, ShapeOutput } from '../form.ts';
import { FORMER_PARTS, partIn, stateParts } from '../state.ts';
import { pod } from './pod.ts';
import { failureClass } from '../names.ts';
import { storedCount, storedDuration, storedGroup, storedInstance, storedNode, storedTime } from './scalars.ts';

/** Values as the core holds them. Objects are loose: a field that a newer version wrote is kept. */
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
  object: <S extends Shape>(shape: S) => z.looseObject(shape) as unknown as z.ZodType<ShapeOutput<S>>,
};

/**
 * The state of one cluster. A part that is absent is empty: a state written before that part existed is still good.
 */
export const storedState = z.preprocess(
  withPresentNames,
  z.looseObject(Object.fromEntries(stateParts.map(([name, part]) => [name, partIn(STORED, part)]))),
) as unknown as z.ZodType<State>;

/** Parts of a state or of a row under the names that they have now. */
export function withPresentNames(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || !Object.keys(FORMER_PARTS).some((name) => name in raw)) {
    return raw;
  }
  const present = (name: string): string => valueOf(FORMER_PARTS, name) ?? name;
  return Object.fromEntries(
    Object.entries(raw)
      .filter(([name]) => present(name) === name || !Object.hasOwn(raw, present(name)))
      .map(([name, part]) => [present(name), part]),
  );
}

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
