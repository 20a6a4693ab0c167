import { valueOf } from '@outrigger/core/model/values/records.ts';
import * as z from 'zod';
import type { GroupName, InstanceId, NodeName } from '@outrigger/core/model/values/names.ts';
import type { FailureClass } from '@outrigger/core/model/node-group.ts';
import { WHY_LAUNCH_FAILED } from '@outrigger/core/words/why-launch-failed.ts';
import { FORMER_VALUES } from './former-names.ts';
import { oneOf } from './known-fields.ts';

export const API_VERSION = 'outrigger.dev/v1alpha1';

/** A non-empty string. */
export const name = z.string('a name').min(1, 'a name');

/** A name of one thing in the core. */
const branded = <T extends string>(): z.ZodType<T> => name as unknown as z.ZodType<T>;
export const group = branded<GroupName>();
export const node = branded<NodeName>();
export const instance = branded<InstanceId>();

/** A list in which each name is given once. */
export const uniqueNames = <T extends string>(item: z.ZodType<T>): z.ZodType<readonly T[]> =>
  z.array(item, 'a list').check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [index, given] of value.entries()) {
      if (seen.has(given)) {
        issues.push({ code: 'custom', message: 'each name once', path: [index], input: given });
      }
      seen.add(given);
    }
  });

/** A choice of a few words. */
export const choice = <const T extends string>(words: readonly T[]): z.ZodType<T> =>
  z.enum(words, { error: ({ input }) => oneOf(words, input) });

/** The same, with words that a choice had before. */
export const choiceWithFormer = <const T extends string>(
  words: readonly T[],
  former: Readonly<Record<string, T>>,
): z.ZodType<T> =>
  z.codec(z.enum([...words, ...Object.keys(former)], { error: ({ input }) => oneOf(words, input) }), z.custom<T>(), {
    decode: (text) => valueOf(former, text) ?? (text as T),
    encode: (value) => value,
  });

export const FAILURE_CLASSES = Object.keys(WHY_LAUNCH_FAILED) as readonly FailureClass[];

export const failureClass = choiceWithFormer(FAILURE_CLASSES, FORMER_VALUES.failureClass);
