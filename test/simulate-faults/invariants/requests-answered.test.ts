import { expect, test } from 'vitest';
import { epochMs } from '../../../core/model/values/time.ts';
import type { RequestHistory } from '../request-histories.ts';
import { isBooked } from './requests-answered.ts';

const at = (minute: number) => epochMs(minute * 60_000);

test.each([
  { what: 'without an answer', provisioned: null, ended: null, now: 3, is: false },
  { what: 'that was given room', provisioned: 1, ended: null, now: 3, is: true },
  { what: 'whose time is nearly over', provisioned: 1, ended: null, now: 9.9, is: true },
  { what: 'whose time is over by the clock of a function', provisioned: 1, ended: null, now: 10.2, is: false },
  { what: 'that has just been deleted', provisioned: 1, ended: 3, now: 3, is: false },
])('every evaluation holds the room of a request $what: $is', ({ provisioned, ended, now, is }) => {
  const history = {
    provisionedAt: provisioned === null ? null : at(provisioned),
    endedAt: ended === null ? null : at(ended),
  } as RequestHistory;
  expect(isBooked(history, at(now))).toBe(is);
});
