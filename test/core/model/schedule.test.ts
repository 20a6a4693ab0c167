import { describe, expect, test } from 'vitest';
import { inForceAt, type Schedule } from '../../../core/model/schedule.ts';
import { parseCron } from '../../../core/model/values/cron.ts';
import { durationMs, epochMs } from '../../../core/model/values/time.ts';
import { parseTimeZone, wallTimeAt } from '../../../core/model/values/time-zone.ts';

const HOUR = 60;

const schedule = (cron: string, minutes: number, timeZone: string): Schedule => ({
  cron,
  duration: durationMs(minutes * 60_000),
  timeZone,
});

const at = (of: Schedule, now: string) => inForceAt(of, epochMs(Date.parse(now)));
const until = (end: string | null) => ({ ok: true, value: { until: end } });
const NOTHING = { ok: true, value: null };
const ALWAYS = null;

const nights = schedule('0 22 * * *', 8 * HOUR, 'Europe/Berlin');
const gap = schedule('30 2 * * *', 45, 'Europe/Berlin');
const inGap = schedule('15 2 * * *', 30, 'Europe/Berlin');
const hour = schedule('0 2 * * *', HOUR, 'Europe/Berlin');
const halfHour = schedule('0 2 * * *', 30, 'Europe/Berlin');
const weekend = schedule('0 0 * * 6', 48 * HOUR, 'Europe/Berlin');

const one = schedule('0 1 * * *', HOUR, 'America/New_York');
const early = schedule('30 2 * * *', HOUR, 'America/New_York');
const workday = schedule('0 8 * * MON-FRI', 10 * HOUR, 'America/New_York');

const howe = schedule('0 2 * * *', 20, 'Australia/Lord_Howe');
const howeLong = schedule('30 1 * * *', HOUR, 'Australia/Lord_Howe');

describe('a schedule is in force while a clock in its time zone shows a time within it', () => {
  test.each<[string, Schedule, string, unknown]>([
    ['in winter, before it begins', nights, '2026-01-10T20:59:59Z', NOTHING],
    ['in winter, from the moment it begins', nights, '2026-01-10T21:00:00Z', until('2026-01-11 06:00')],
    ['in winter, to the last moment', nights, '2026-01-11T04:59:59.999Z', until('2026-01-11 06:00')],
    ['in winter, not in the moment it ends', nights, '2026-01-11T05:00:00Z', NOTHING],
    ['in summer an hour earlier', nights, '2026-07-10T20:00:00Z', until('2026-07-11 06:00')],
    ['in summer it ends an hour earlier', nights, '2026-07-11T04:00:00Z', NOTHING],

    // Europe/Berlin, 2026-03-29: 02:00 is 03:00 (01:00Z).
    ['Berlin, before clocks go forward', nights, '2026-03-28T21:00:00Z', until('2026-03-29 06:00')],
    ['Berlin, after clocks went forward', nights, '2026-03-29T03:59:59Z', until('2026-03-29 06:00')],
    ['Berlin, the night is an hour shorter', nights, '2026-03-29T04:00:00Z', NOTHING],
    ['Berlin, before a beginning that is skipped', gap, '2026-03-29T00:59:59Z', NOTHING],
    ['Berlin, what reaches beyond the skipped hour', gap, '2026-03-29T01:00:00Z', until('2026-03-29 03:15')],
    ['Berlin, the end after the skipped hour', gap, '2026-03-29T01:15:00Z', NOTHING],
    ['Berlin, nothing of what is skipped whole, before', inGap, '2026-03-29T00:59:59Z', NOTHING],
    ['Berlin, nothing of what is skipped whole, after', inGap, '2026-03-29T01:00:00Z', NOTHING],

    // Europe/Berlin, 2026-10-25: 03:00 is 02:00 (01:00Z).
    ['Berlin, before clocks go back', nights, '2026-10-24T20:00:00Z', until('2026-10-25 06:00')],
    ['Berlin, the night is an hour longer', nights, '2026-10-25T04:59:59Z', until('2026-10-25 06:00')],
    ['Berlin, and ends by the clock', nights, '2026-10-25T05:00:00Z', NOTHING],
    ['Berlin, an hour that comes twice, the first time', hour, '2026-10-25T00:30:00Z', until('2026-10-25 03:00')],
    ['Berlin, an hour that comes twice, the second time', hour, '2026-10-25T01:30:00Z', until('2026-10-25 03:00')],
    ['Berlin, after both', hour, '2026-10-25T02:00:00Z', NOTHING],
    ['Berlin, half an hour, the first time', halfHour, '2026-10-25T00:29:59Z', until('2026-10-25 02:30')],
    ['Berlin, between the two', halfHour, '2026-10-25T00:30:00Z', NOTHING],
    ['Berlin, half an hour, the second time', halfHour, '2026-10-25T01:00:00Z', until('2026-10-25 02:30')],
    ['Berlin, a weekend of 49 hours to its end', weekend, '2026-10-25T22:59:59Z', until('2026-10-26 00:00')],
    ['Berlin, a weekend of 47 hours no longer', weekend, '2026-03-29T22:00:00Z', NOTHING],

    // America/New_York, 2026-03-08: 02:00 is 03:00 (07:00Z); 2026-11-01: 02:00 is 01:00 (06:00Z).
    ['New York, what reaches beyond the skipped hour', early, '2026-03-08T07:00:00Z', until('2026-03-08 03:30')],
    ['New York, the end after the skipped hour', early, '2026-03-08T07:30:00Z', NOTHING],
    ['New York, up to the skipped hour', one, '2026-03-08T06:59:59Z', until('2026-03-08 02:00')],
    ['New York, not beyond it', one, '2026-03-08T07:00:00Z', NOTHING],
    ['New York, an hour that comes twice, the first time', one, '2026-11-01T05:00:00Z', until('2026-11-01 02:00')],
    ['New York, an hour that comes twice, the second time', one, '2026-11-01T06:59:59Z', until('2026-11-01 02:00')],
    ['New York, after both', one, '2026-11-01T07:00:00Z', NOTHING],
    ['New York, Friday before clocks go forward', workday, '2026-03-06T13:00:00Z', until('2026-03-06 18:00')],
    ['New York, Monday after it, an hour earlier', workday, '2026-03-09T12:00:00Z', until('2026-03-09 18:00')],
    ['New York, not on Sunday', workday, '2026-03-08T15:00:00Z', NOTHING],

    // Australia/Lord_Howe, half an hour: 2026-04-05 02:00 is 01:30 (2026-04-04T15:00Z), 2026-10-04 02:00 is 02:30 (2026-10-03T15:30Z).
    ['Lord Howe, the half hour that comes twice, first', howeLong, '2026-04-04T14:30:00Z', until('2026-04-05 02:30')],
    ['Lord Howe, the half hour that comes twice, again', howeLong, '2026-04-04T15:00:00Z', until('2026-04-05 02:30')],
    ['Lord Howe, to its end by the clock', howeLong, '2026-04-04T15:59:59Z', until('2026-04-05 02:30')],
    ['Lord Howe, after both', howeLong, '2026-04-04T16:00:00Z', NOTHING],
    ['Lord Howe, nothing of what is skipped whole', howe, '2026-10-03T15:30:00Z', NOTHING],
    ['Lord Howe, before the skipped half hour', howeLong, '2026-10-03T15:00:00Z', until('2026-10-04 02:30')],
    ['Lord Howe, the end is skipped', howeLong, '2026-10-03T15:30:00Z', NOTHING],
    ['Lord Howe, on any other day', howe, '2026-07-01T15:30:00Z', until('2026-07-02 02:20')],
  ])('%s', (_, of, now, expected) => {
    expect(at(of, now)).toEqual(expected);
  });
});

describe('a schedule that begins again before it has ended', () => {
  test.each<[string, Schedule, string | null]>([
    ['each hour for an hour has no end in sight', schedule('@hourly', HOUR, 'UTC'), ALWAYS],
    [
      'each day for a day has none, in a zone with clock changes',
      schedule('@daily', 24 * HOUR, 'Europe/Berlin'),
      ALWAYS,
    ],
    ['on workdays for a day ends on Saturday', schedule('0 0 * * 1-5', 24 * HOUR, 'Europe/Berlin'), '2026-03-28 00:00'],
    ['every ten minutes from 8 to 18 ends after the last', schedule('*/10 8-17 * * *', 20, 'UTC'), '2026-03-25 18:10'],
    ['every twenty minutes from 17:05 ends after the last', schedule('5/20 17 * * *', 20, 'UTC'), '2026-03-25 18:05'],
  ])('%s', (_, of, end) => {
    expect(at(of, '2026-03-25T17:40:00Z')).toEqual(until(end));
  });
});

test('the time zone of the machine makes no difference', () => {
  const before = process.env['TZ'];
  const days = Array.from({ length: 400 }, (_, day) => epochMs(Date.UTC(2026, 0, 1) + day * 21.7 * 3_600_000));
  const everywhere = ['UTC', 'Australia/Lord_Howe', 'America/New_York'].map((machine) => {
    process.env['TZ'] = machine;
    return JSON.stringify(days.map((now) => [inForceAt(nights, now), inForceAt(workday, now)]));
  });
  process.env['TZ'] = before;
  if (before === undefined) {
    delete process.env['TZ'];
  }
  expect(new Set(everywhere).size).toBe(1);
});

test('of a time zone that the runtime does not know it cannot be said', () => {
  expect(at(schedule('@daily', HOUR, 'Mars/Olympus'), '2026-01-01T00:00:00Z')).toEqual({
    ok: false,
    error: 'the time zone Mars/Olympus is not known here',
  });
  expect(wallTimeAt(epochMs(0), 'Mars/Olympus')).toBeNull();
});

test.each([
  ['0 9 * * 1-5', true],
  ['*/5 0-6,22-23 1,15 jan-mar mon', true],
  ['@weekly', true],
  ['@Midnight', true],
  ['0 0 ? * SUN', true],
  ['0 0 L * *', false],
  ['0 0 15W * *', false],
  ['0 0 * * 5#3', false],
  ['0 0 * * 5L', false],
  ['0 0 * mon *', false],
  ['@reboot', false],
  ['@every 5m', false],
  ['0 0 * *', false],
  ['0 0 0 * * *', false],
  ['60 0 * * *', false],
  ['0 24 * * *', false],
  ['0 0 30 2 *', false],
  ['2026-01-01T00:00:00', false],
  ['', false],
  [`${'0,'.repeat(200)}0 * * * *`, false],
])('cron expression %j is one: %s', (text, isOne) => {
  expect(parseCron(text).ok).toBe(isOne);
});

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['utc', 'UTC'],
  ['Etc/GMT+1', 'Etc/GMT+1'],
  ['GMT0', 'GMT0'],
  ['GMT+0', 'GMT+0'],
  ['Europe/Berlin+01', null],
  ['+01:00', null],
  ['Berlin', null],
  ['', null],
])('time zone %j is %j', (text, name) => {
  const parsed = parseTimeZone(text);
  expect(parsed.ok ? parsed.value : null).toBe(name);
});

test.each([
  ['UTC+01', 'Etc/GMT-1'],
  ['UTC-05', 'Etc/GMT+5'],
  ['GMT+1', 'Etc/GMT-1'],
  ['cet+01:00', 'Etc/GMT-1'],
  ['x+05', 'Etc/GMT-5'],
  ['+0200', 'Etc/GMT-2'],
])('time zone %j is an offset, and is to be written %s', (text, name) => {
  const parsed = parseTimeZone(text);
  expect(parsed.ok ? null : parsed.error).toBe(
    `a time zone of the IANA database such as Europe/Berlin; an offset all year such as ${text} is written ${name}`,
  );
  expect(parseTimeZone(name)).toEqual({ ok: true, value: name });
});
