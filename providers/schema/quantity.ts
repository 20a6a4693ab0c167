import * as z from 'zod';
import type { Resources } from '@outrigger/core/model/values/resources.ts';
import { A_QUANTITY, amountOf, writeAmounts } from '../manifest/amounts.ts';
import { recordTable } from './document.ts';

const integerOf = (expected: string): z.ZodInt =>
  // A fraction is reported as no integer; an absent value with everything that is expected.
  z.int({ error: ({ input }) => (input === undefined ? expected : 'an integer') });

/** An integer of at least `min`. `-0` is a JSON number too, and equal to no other zero in a Map. */
export function count(min = 0): z.ZodInt {
  const expected = `an integer of at least ${min}`;
  return integerOf(expected)
    .min(min, expected)
    .overwrite((value) => value + 0);
}

export const integer = integerOf('an integer').overwrite((value) => value + 0);

/** USD per hour. */
export const hourlyPrice = z
  .number('a price in USD per hour, such as 0.192')
  .nonnegative('a price in USD per hour, such as 0.192')
  .overwrite((value) => value + 0);

/** Amounts by resource name, unrounded. YAML makes a number of `cpu: 2`. */
export const amounts = z.codec(recordTable(z.union([z.string(), z.number()], A_QUANTITY)), z.custom<Resources>(), {
  decode: (given, { issues }): Resources =>
    Object.fromEntries(
      Object.entries(given).map(([resource, raw]) => {
        const amount = amountOf(resource, raw);
        if (amount === null) {
          issues.push({ code: 'custom', message: A_QUANTITY, path: [resource], input: raw });
        }
        return [resource, amount ?? 0];
      }),
    ),
  encode: (resources) => writeAmounts(resources) as Readonly<Record<string, string>>,
});
