import * as z from 'zod';
// Not as `z.core.$constructor`: of a namespace in a namespace, bundles would have all, its 40 languages too.
import { $constructor } from 'zod/v4/core';
import { byName } from '@outrigger/core/model/values/names.ts';
import { type Former, withPresentNames } from './former-names.ts';
import { oneOf } from './known-fields.ts';

// The form of objects in documents, beyond zod's objects and records.

interface ClosedDef<S extends z.core.$ZodShape> extends z.core.$ZodObjectDef<S> {
  readonly former: Former;
}

interface ClosedObject<S extends z.core.$ZodShape> extends z.ZodObject<S, z.core.$strict> {
  readonly _zod: z.ZodObject<S, z.core.$strict>['_zod'] & { readonly def: ClosedDef<S> };
}

const ClosedObject = $constructor<ClosedObject<z.core.$ZodShape>>('Closed', (inst, def) => {
  const object: z.core.$constructor<z.ZodObject> = z.ZodObject;
  object.init(inst, def);
  const read = inst._zod.parse.bind(inst._zod);
  const written = z.object(def.shape);
  inst._zod.parse = (payload, ctx) => {
    if (ctx.direction === 'backward') {
      const result = written._zod.run(payload, ctx) as z.core.ParsePayload;
      result.value = withoutUndefined(result.value);
      return result;
    }
    payload.value = given(payload.value, def);
    return read(payload, ctx);
  };
});

/**
 * An object with these fields and no others: an unknown field is reported with the name that was probably meant, since
 * a mistyped field would otherwise be silently ignored. `null` is the same as absent. The written form has the fields
 * in this order, without `undefined` fields and without other properties of the value.
 */
export function closed<S extends z.core.$ZodShape>(shape: S, former: Former = {}): z.ZodObject<S, z.core.$strict> {
  const known = Object.keys(shape);
  return new ClosedObject({
    type: 'object',
    shape,
    catchall: z.never(),
    former,
    error: (issue: z.core.$ZodRawIssue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => oneOf(known, key)).join('\n') : 'an object',
  }) as unknown as z.ZodObject<S, z.core.$strict>;
}

/** The given fields under their present names, without fields that are `null`. zod refuses anything but an object. */
function given(raw: unknown, { former, shape }: ClosedDef<z.core.$ZodShape>): unknown {
  const named = withPresentNames(raw, former);
  if (typeof named !== 'object' || named === null || Array.isArray(named)) {
    return named;
  }
  const isAbsent = ([key, value]: readonly [string, unknown]): boolean => value === null && Object.hasOwn(shape, key);
  const entries = Object.entries(named);
  return entries.some(isAbsent) ? Object.fromEntries(entries.filter((one) => !isAbsent(one))) : named;
}

/** Documents have many objects, and few with such a field: nothing is made for the others. */
function withoutUndefined(value: unknown): unknown {
  const object = value as Readonly<Record<string, unknown>>;
  for (const key in object) {
    if (object[key] === undefined) {
      return Object.fromEntries(Object.entries(object).filter(([, field]) => field !== undefined));
    }
  }
  return value;
}

interface Table<V extends z.ZodType> extends z.ZodRecord<z.ZodString, V> {
  readonly _zod: z.ZodRecord<z.ZodString, V>['_zod'];
}

const Table = $constructor<Table<z.ZodType>>('Table', (inst, def) => {
  const record: z.core.$constructor<z.ZodRecord> = z.ZodRecord;
  record.init(inst, def);
  inst._zod.parse = (payload, ctx) => {
    const raw = payload.value as unknown;
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      payload.issues.push({ code: 'invalid_type', expected: 'record', input: raw, inst });
      return payload;
    }
    const entries = Object.entries(raw);
    if (ctx.direction === 'backward') {
      entries.sort(([a], [b]) => byName(a, b));
    }
    payload.value = Object.fromEntries(
      entries.map(([key, value]) => {
        const result = def.valueType._zod.run({ value, issues: [] }, ctx) as z.core.ParsePayload;
        payload.issues.push(...z.util.prefixIssues(key, result.issues));
        return [key, result.value];
      }),
    ) as never;
    return payload;
  };
});

/**
 * An object whose keys users choose. Unlike `z.record` it keeps an entry named `__proto__`, as a node group may be. The
 * written form has the names in order, so that equal tables are equal bytes.
 */
export const recordTable = <K extends string, T>(value: z.ZodType<T>): z.ZodType<Readonly<Record<K, T>>> =>
  new Table({
    type: 'record',
    keyType: z.string(),
    valueType: value,
    error: () => 'an object',
  }) as unknown as z.ZodType<Readonly<Record<K, T>>>;

/** A list; absent is empty. */
export const list = <T>(item: z.ZodType<T>): z.ZodType<readonly T[]> => z.array(item, 'a list').default([]);

/** Absent in the document is a value in the core, which is not written. */
const absentFor = <T>(schema: z.ZodType<T>, absent: T, isAbsent = (value: T): boolean => value === absent) =>
  z.codec(schema.optional(), z.custom<T>(), {
    decode: (given) => given ?? absent,
    encode: (value) => (isAbsent(value) ? undefined : value),
  });

/** Absent in the document is `null` in the core. */
export const orNull = <T>(schema: z.ZodType<T>): z.ZodType<T | null> =>
  absentFor<T | null>(schema, null, (value) => value === null || value === undefined);

/** A list that is omitted if it is empty. */
export const listUnlessEmpty = <T>(items: z.ZodType<readonly T[]>): z.ZodType<readonly T[]> =>
  absentFor(items, [], (list) => list.length === 0);

/** `true`, or absent for `false`. */
export const flag = absentFor(z.boolean('true or false'), false, (value) => !value);

/** A text that is omitted if it is empty. */
export const optionalText = absentFor(z.string('a string'), '');

/** A name where absent and empty mean the same: none. */
export const optionalName = <T extends string = string>(): z.ZodType<T | null> =>
  z.codec(z.string('a string').optional(), z.custom<T | null>(), {
    decode: (given) => (given === undefined || given === '' ? null : (given as T)),
    encode: (value) => value ?? undefined,
  });

/**
 * A part that is read and written elsewhere, since its reader requires other parts.
 *
 * @param jsonSchema its schema
 */
export const raw = (jsonSchema: Readonly<Record<string, unknown>>): z.ZodType =>
  z.unknown().optional().meta(jsonSchema);
