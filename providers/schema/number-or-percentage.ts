import * as z from 'zod';
import type { Percentage } from '@outrigger/core/model/node-budget.ts';
import { refuse } from './read.ts';

/**
 * A whole number, or a percentage from 0% to 100%.
 *
 * @param expected the expected value, for errors
 */
export const numberOrPercentage = (expected: string): z.ZodType<number | Percentage> =>
  z.codec(z.union([z.int(), z.string()], expected), z.custom<number | Percentage>(), {
    decode: (given, ctx) => {
      const [, digits, sign] = /^(\d{1,6})(%?)$/.exec(String(given)) ?? [];
      const amount = Number(digits);
      if (digits === undefined || (sign === '%' && amount > 100)) {
        return refuse(ctx, expected);
      }
      return sign === '%' ? { percent: amount } : amount;
    },
    encode: (value) => (typeof value === 'number' ? value : `${value.percent}%`),
  });
