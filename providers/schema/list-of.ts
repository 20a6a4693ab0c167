import * as z from 'zod';
import type { Range } from '@outrigger/core/model/options.ts';

/** A list of some length; `expected` is what it is a list of. */
export const listOf = <T>(item: z.ZodType<T>, { min, max }: Range, expected: string): z.ZodType<readonly T[]> => {
  const length = `a list of ${min === 0 ? 'at most' : `${min} to`} ${max} ${expected}`;
  return z.array(item, length).min(min, length).max(max, length);
};
