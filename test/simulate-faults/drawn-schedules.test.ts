import { expect, test } from 'vitest';
import { epochMs, minutes } from '../../core/model/values/time.ts';
import { windowOf } from './drawn-schedules.ts';

const START = epochMs(Date.UTC(2026, 0, 1, 9));

test.each([
  ['10 9 * * *', 'UTC'],
  ['10 10 * * *', 'Europe/Berlin'],
  ['40 14 * * *', 'Asia/Kolkata'],
  ['10 4 * * *', 'America/New_York'],
])('%s in %s is ten minutes after nine in UTC', (cron, timeZone) => {
  const drawn = { least: { nodes: 2 }, schedule: { cron, duration: minutes(20), timeZone } };
  const { from, until } = windowOf(drawn, { start: START });
  expect([from - START, until - START]).toEqual([minutes(10), minutes(30)]);
});
