import * as z from 'zod';

const integerOf = (expected: string): z.ZodInt =>
  // A fraction is no integer at all; what is absent is told the whole of what is wanted.
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
export const price = z
  .number('a price in USD per hour, such as 0.192')
  .nonnegative('a price in USD per hour, such as 0.192')
  .overwrite((value) => value + 0);
