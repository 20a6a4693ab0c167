import * as z from 'zod';
import type { GroupName, InstanceId, NodeName, PodKey } from '../../core/model/names.ts';
import type { FailureClass } from '../../core/model/node-group.ts';
import { oneOf } from './known-fields.ts';

/** A string that says something. */
export const name = z.string('a name').min(1, 'a name');

/** A name of one thing in the core. */
const branded = <T extends string>(): z.ZodType<T> => name as unknown as z.ZodType<T>;
export const group = branded<GroupName>();
export const node = branded<NodeName>();
export const instance = branded<InstanceId>();
export const podKey = branded<PodKey>();

/** A list in which each name is given once. */
export const uniqueNames = <T extends string>(item: z.ZodType<T>): z.ZodType<readonly T[]> =>
  z
    .array(item, 'a list')
    .check(({ value, issues }) => {
      const seen = new Set<string>();
      for (const [index, given] of value.entries()) {
        if (seen.has(given)) {
          issues.push({ code: 'custom', message: 'each name once', path: [index], input: given });
        }
        seen.add(given);
      }
    })
    .default([]);

/** One of a few words. */
export const choice = <const T extends string>(words: readonly T[]): z.ZodType<T> =>
  z.enum(words, { error: ({ input }) => oneOf(words, input) });

/** Every class of failure, checked to be all of them by the type. */
const FAILURES: Readonly<Record<FailureClass, true>> = {
  OutOfResources: true,
  Quota: true,
  Addresses: true,
  Configuration: true,
  Authorization: true,
  Throttled: true,
  Timeout: true,
  Other: true,
};
export const FAILURE_CLASSES = Object.keys(FAILURES) as readonly FailureClass[];

/** As the class was spelled before. */
const FORMER_CLASSES: Readonly<Record<string, FailureClass>> = { Authorisation: 'Authorization' };

export const failureClass = z.codec(
  z.enum([...FAILURE_CLASSES, ...Object.keys(FORMER_CLASSES)], { error: ({ input }) => oneOf(FAILURE_CLASSES, input) }),
  z.custom<FailureClass>(),
  { decode: (text) => FORMER_CLASSES[text] ?? (text as FailureClass), encode: (value) => value },
);
