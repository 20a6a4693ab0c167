import type * as z from 'zod';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { explainInvalid, type Invalid, itemOf, type Reader, report } from '../manifest/invalid.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { manifested } from './read.ts';

// Options that are lists of objects, and have a short form for tags and annotations.

/** How one of the list is read and written. */
export interface ShortForm<T> {
  /** The name of a single value, with an example of its short form. */
  readonly one: string;
  /** The name of several values. */
  readonly many: string;
  /** The fields that a short form stands for, single spaces between its words; `null` where it is none. */
  readonly fieldsOf: (text: string) => object | null;
  readonly read: (fields: object, place: string, problems: Invalid[]) => T | null;
  readonly write: (value: T) => unknown;
}

export interface ShortForms<T> {
  /** A list of objects and short forms, one of them without brackets, or short forms in one text. */
  readonly codec: z.ZodType<readonly T[]>;
  /** Reads the short forms of a tag or an annotation: the list, or what was expected instead of the text. */
  readonly parse: (text: string) => Result<readonly T[], string>;
}

/** As many as Karpenter takes disruption budgets. */
const MOST = 50;
/** A tag has 256 characters. */
const LONGEST = 512;

export function shortForms<T>(form: ShortForm<T>, object: z.ZodType, examples: readonly string[]): ShortForms<T> {
  const readOne = (raw: unknown, place: string, problems: Invalid[]): readonly T[] => {
    const fields = typeof raw === 'string' ? fieldsIn(form, raw) : raw;
    if (typeof fields !== 'object' || fields === null) {
      report(problems, place, form.one, raw);
      return [];
    }
    const value = form.read(fields, place, problems);
    return value === null ? [] : [value];
  };
  const readAll: Reader<readonly T[]> = (raw, place, problems) => {
    const items = typeof raw === 'string' ? raw.split(';').filter((part) => part.trim() !== '') : raw;
    if (!Array.isArray(items)) {
      return readOne(items, place, problems);
    }
    if (items.length > MOST) {
      problems.push({ place, expected: `a list of at most ${MOST} ${form.many}`, found: `${items.length} of them` });
      return [];
    }
    return items.flatMap((item, index) =>
      readOne(item, typeof raw === 'string' ? place : itemOf(place, index), problems),
    );
  };
  const oneSchema = { anyOf: [{ type: 'string', examples }, jsonSchemaOf(object)] };
  return {
    codec: manifested(readAll, (values) => values.map(form.write), {
      anyOf: [...oneSchema.anyOf, { type: 'array', maxItems: MOST, items: oneSchema }],
    }),
    parse: (text) => {
      const problems: Invalid[] = [];
      const values = readAll(text, '', problems);
      const [first] = problems;
      if (first === undefined) {
        return ok(values);
      }
      return err(first.place === '' ? first.expected : `${form.one} (${explainInvalid(first)})`);
    },
  };
}

function fieldsIn<T>({ fieldsOf }: ShortForm<T>, text: string): object | null {
  const plain = text.trim().replaceAll(/\s+/g, ' ');
  if (plain.length > LONGEST) {
    return null;
  }
  return fieldsOf(plain);
}
