import { expect, test } from 'vitest';
import { outrigger } from '../outrigger.ts';

test.each([
  [['--runs', '1'], 'Expected a whole number from 2 to 10.'],
  [['--layouts', '7'], 'Expected a whole number from 1 to 6.'],
  [[], 'expected --cluster NAME, or files with scenarios of different times, found neither'],
])('outrigger advise %j is refused', async (flags, why) => {
  const { code, stdout, stderr } = await outrigger(['advise', ...flags]);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(why) });
});
