import { describe, expect, it } from 'vitest';
import { addTime, durationMs, seconds } from '../../../core/model/values/time.ts';
import { roughly, sinceText, untilText } from '../../../core/words/when.ts';
import { NOW } from '../../scenario-builders.ts';

describe('lengths of time', () => {
  it.each([
    [400, '0s'],
    [45_900, '45s'],
    [130_000, '2m10s'],
    [17 * 60_000 + 30_000, '17m'],
    [182 * 60_000, '3h2m'],
  ])('%d ms read as %s', (length, text) => {
    expect(roughly(durationMs(length))).toBe(text);
  });
});

describe('times', () => {
  it('are said with how long ago they were', () => {
    expect(sinceText(NOW, addTime(NOW, seconds(90)))).toBe('2026-01-01T12:00:00Z, 1m30s ago');
    expect(untilText(addTime(NOW, seconds(90)), NOW)).toBe('2026-01-01T12:01:30Z, in 1m30s');
  });

  it('of a clock that is ahead are said alone', () => {
    expect(sinceText(addTime(NOW, seconds(2)), NOW)).toBe('2026-01-01T12:00:02Z');
    expect(untilText(NOW, addTime(NOW, seconds(2)))).toBe('2026-01-01T12:00:00Z');
  });
});
