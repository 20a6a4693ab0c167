import { expect, test } from 'vitest';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { createHourlyWarnings } from '../../../providers/node-groups/warnings.ts';

test('one thing is said about each matter, an hour', () => {
  let time = 0;
  const said: string[] = [];
  const warn = createHourlyWarnings(
    (message) => said.push(message),
    () => epochMs(time),
  );
  warn('a', 'a fails');
  warn('a', 'a fails, request 2');
  warn('b', 'b fails');
  expect(said).toEqual(['a fails', 'b fails']);
  time = minutes(60) - 1;
  warn('a', 'a fails');
  expect(said).toHaveLength(2);
  time = minutes(60);
  warn('a', 'a still fails');
  warn('a', 'a still fails');
  expect(said).toEqual(['a fails', 'b fails', 'a still fails']);
});
