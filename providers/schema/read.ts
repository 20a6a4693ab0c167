import * as z from 'zod';
import {
  describeInvalid,
  entryOf,
  explainInvalid,
  fieldOf,
  type Invalid,
  itemOf,
  type Reader,
} from '../manifest/invalid.ts';

/**
 * Reads a document by its schema, and reports all of its problems: the error message of a schema is what was expected.
 *
 * @returns `null` where the document has a problem
 */
export function readBy<T>(schema: z.ZodType<T>, raw: unknown, place: string, problems: Invalid[]): T | null {
  const read = z.safeDecode(schema, raw, { reportInput: true });
  if (read.success) {
    return read.data;
  }
  for (const issue of read.error.issues) {
    problems.push(...invalids(issue, place));
  }
  return null;
}

/**
 * Decodes JSON that was written by the same schema.
 *
 * @param origin where it is from, for the error
 * @throws Error with everything that is wrong
 */
export function decodeJsonBy<T>(schema: z.ZodType<T>, json: string, origin: string): T {
  const problems: Invalid[] = [];
  const read = readBy(schema, JSON.parse(json), origin, problems);
  if (read === null) {
    throw new Error(problems.map(explainInvalid).join('\n'));
  }
  return read;
}

/** Writes a value as the document that its schema reads. Throws on a value that its own type does not allow. */
export const writeBy = <T>(schema: z.ZodType<T>, value: T): unknown => z.encode(schema, value);

function invalids(issue: z.core.$ZodIssue, place: string): readonly Invalid[] {
  const at = issue.path.reduce<string>(
    (path, key) => (typeof key === 'number' ? itemOf(path, key) : entryOf(path, String(key))),
    place,
  );
  if (issue.code === 'unrecognized_keys') {
    const expected = issue.message.split('\n');
    return issue.keys.map((key, n) => ({
      place: entryOf(at, key),
      expected: expected[n] ?? issue.message,
      found: JSON.stringify(key),
    }));
  }
  if (issue.code === 'custom' && issue.params?.['invalid'] !== undefined) {
    const { place: inner, expected, found } = issue.params['invalid'] as Invalid;
    return [{ place: inner.startsWith('[') || inner === '' ? at + inner : fieldOf(at, inner), expected, found }];
  }
  if (issue.code === 'invalid_union') {
    // A problem inside one form is more specific than that the value has none of the forms.
    const inside = issue.errors.find((issues) => issues.some(({ path }) => path.length > 0));
    if (inside !== undefined) {
      return inside.flatMap((one) => invalids(one, at));
    }
  }
  return [{ place: at, expected: issue.message, found: describeInvalid(issue.input) }];
}

/** Reports in a codec what was expected instead of its input. */
export function refuse(ctx: z.core.ParsePayload, expected: string): never {
  ctx.issues.push({ code: 'custom', message: expected, input: ctx.value });
  return z.NEVER;
}

/**
 * A codec of a hand-written reader and `write`: for parts of Kubernetes manifests, whose readers are optimized for speed.
 *
 * @param about a description for the JSON Schema
 */
export const manifested = <T>(
  read: Reader<T>,
  write: (value: T) => unknown,
  about: Readonly<Record<string, unknown>>,
): z.ZodType<T> =>
  z.codec(z.unknown().meta(about), z.custom<T>(), {
    decode: (raw, ctx) => {
      const problems: Invalid[] = [];
      const value = read(raw, '', problems);
      for (const invalid of problems) {
        ctx.issues.push({ code: 'custom', message: invalid.expected, input: raw, params: { invalid } });
      }
      return value;
    },
    encode: write,
  });
