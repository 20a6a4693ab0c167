import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DURATION_OUT_OF_RANGE,
  durationMs,
  epochMs,
  formatDuration,
  formatTime,
  parseDuration,
  parseTime,
} from '../../../../core/model/values/time.ts';

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['.5h', 1_800_000],
    ['250ms', 250],
    ['-3s', -3_000],
    ['1h0m0.5s', 3_600_500],
    ['999us', 1],
    ['600000ns', 1],
    ['2500µs', 3],
    ['2500μs', 3],
    ['+3s', 3_000],
    ['1.s', 1_000],
    ['-0s', 0],
    [`${'0'.repeat(62)}1s`, 1_000],
  ])('reads %s as %d ms', (text, value) => {
    expect(parseDuration(text)).toEqual({ ok: true, value });
  });

  test.each(['', '10', '1d', 'm', '10 m', '1h-3m', 'PT10M', '1m1'])('refuses %j', (text) => {
    expect(parseDuration(text).ok).toBe(false);
  });

  test.each([
    ['2562047h47m16s', 9_223_372_036_000],
    ['-2562047h47m16s', -9_223_372_036_000],
  ])("reads %s, among Go's longest", (text, value) => {
    expect(parseDuration(text)).toEqual({ ok: true, value });
  });

  test.each(['2562047h48m', '-2562047h48m', '2500000000h', `${'9'.repeat(60)}ns`])(
    'refuses %s, which is longer than 64 bits of nanoseconds',
    (text) => {
      expect(parseDuration(text)).toEqual({ ok: false, error: DURATION_OUT_OF_RANGE });
    },
  );

  test.each([`${'0'.repeat(64)}s`, `${'1'.repeat(262_144)}!`, `${'1h'.repeat(100_000)}!`])(
    'does not parse texts of more than 64 characters (%#)',
    (text) => {
      expect(parseDuration(text).ok).toBe(false);
    },
  );

  test('reads back what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), (ms) => {
        expect(parseDuration(formatDuration(durationMs(ms)))).toEqual({ ok: true, value: ms });
      }),
    );
  });
});

test.each([
  [0, '0s'],
  [600_000, '10m'],
  [7_200_000, '2h'],
  [5_400_000, '1h30m'],
  [3_601_500, '1h1.5s'],
  [250, '0.25s'],
  [-90_000, '-1m30s'],
])('formatDuration writes %d ms as %s', (ms, text) => {
  expect(formatDuration(durationMs(ms))).toBe(text);
});

describe('parseTime', () => {
  test.each([
    ['2026-01-01T12:00:00Z', Date.UTC(2026, 0, 1, 12)],
    ['2026-01-01T12:00:00.250Z', Date.UTC(2026, 0, 1, 12, 0, 0, 250)],
    ['2026-01-01T13:00:00+01:00', Date.UTC(2026, 0, 1, 12)],
  ])('reads %s', (text, value) => {
    expect(parseTime(text)).toEqual({ ok: true, value });
  });

  test.each(['', '2026-01-01', 'yesterday', '2026-13-01T00:00:00Z', '2026-01-01T12:00:00'])('refuses %j', (text) => {
    expect(parseTime(text).ok).toBe(false);
  });

  test('does not parse texts of more than 64 characters', () => {
    expect(parseTime(`2026-01-01T12:00:00.${'0'.repeat(43)}Z`).ok).toBe(true);
    expect(parseTime(`2026-01-01T12:00:00.${'0'.repeat(44)}Z`).ok).toBe(false);
  });

  test('is the inverse of formatTime', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
        expect(parseTime(formatTime(epochMs(ms)))).toEqual({ ok: true, value: ms });
      }),
    );
  });
});

test.each([
  [Number.POSITIVE_INFINITY, '9999-12-31T23:59:59.999Z'],
  [8.64e15 + 1, '9999-12-31T23:59:59.999Z'],
  [Number.NaN, '9999-12-31T23:59:59.999Z'],
  [Number.NEGATIVE_INFINITY, '0000-01-01T00:00:00Z'],
])('formatTime writes %d as %s: nothing is later or earlier', (ms, text) => {
  expect(formatTime(epochMs(ms))).toBe(text);
});
