import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationMs, epochMs, formatDuration, formatTime, parseDuration, parseTime } from '../../../core/model/time.ts';

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
  ])('reads %s as %d ms', (text, value) => {
    expect(parseDuration(text)).toEqual({ ok: true, value });
  });

  test.each(['', '10', '1d', 'm', '10 m', '1h-3m', 'PT10M', '1m1'])('refuses %j', (text) => {
    expect(parseDuration(text).ok).toBe(false);
  });

  test('reads back what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), (ms) => {
        expect(parseDuration(formatDuration(durationMs(ms)))).toEqual({ ok: true, value: ms });
      }),
    );
  });
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

  test('is the inverse of formatTime', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
        expect(parseTime(formatTime(epochMs(ms)))).toEqual({ ok: true, value: ms });
      }),
    );
  });
});
