import { expect, test } from 'vitest';
import { evaluationLimit } from '../../../functions/shared/time-limit.ts';

test('an evaluation may take half of the time that its function has, and what is up stays up', () => {
  let remaining = 58_730;
  const limit = evaluationLimit({ remainingMs: () => remaining });
  const asked = [41_000, 29_366, 29_364, 40_000].map((ms) => {
    remaining = ms;
    return limit.isUp();
  });
  expect(asked).toEqual([false, false, true, true]);
});

test('an evaluation of a process without a time limit has none', () => {
  expect(evaluationLimit({}).isUp()).toBe(false);
});
