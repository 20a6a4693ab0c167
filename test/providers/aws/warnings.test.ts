import { expect, test } from 'vitest';
import { epochMs, minutes } from '../../../core/model/time.ts';
import { createHourlyWarnings } from '../../../providers/aws/warnings.ts';

test('each warning is given once an hour', () => {
  let time = 0;
  const said: string[] = [];
  const warn = createHourlyWarnings(
    (message) => said.push(message),
    () => epochMs(time),
  );
  warn('a');
  warn('a');
  warn('b');
  expect(said).toEqual(['a', 'b']);
  time = minutes(60) - 1;
  warn('a');
  expect(said).toEqual(['a', 'b']);
  time = minutes(60);
  warn('a');
  warn('a');
  expect(said).toEqual(['a', 'b', 'a']);
});
