import { describe, expect, it } from 'vitest';
import { judgeSize } from '../../../core/actuation/judge-size.ts';

const size = (target: number, max = 10) => ({ min: 0, max, target, held: target });

describe('a size may be set', () => {
  it.each([
    { name: 'from the value that was read', size: size(2), expected: { kind: 'set' } },
    { name: 'not again', size: size(5), expected: { kind: 'done' } },
    { name: 'not from another value', size: size(3), expected: { kind: 'refused' } },
    { name: 'not above a maximum that was lowered', size: size(2, 4), expected: { kind: 'refused' } },
    { name: 'not for a group that is gone', size: null, expected: { kind: 'refused' } },
  ])('$name', ({ size: now, expected }) => {
    expect(judgeSize({ from: 2, to: 5 }, now)).toMatchObject(expected);
  });
});

describe('a smaller size may be set', () => {
  it.each([
    { name: 'where that many instances never came', size: { ...size(5), held: 3 }, expected: 'set' },
    { name: 'not when one has come after all', size: { ...size(5), held: 4 }, expected: 'refused' },
    { name: 'not below a minimum that was raised', size: { ...size(5), min: 4, held: 3 }, expected: 'refused' },
    { name: 'not from another value', size: { ...size(6), held: 3 }, expected: 'refused' },
    { name: 'not again', size: { ...size(3), held: 3 }, expected: 'done' },
  ])('$name', ({ size: now, expected }) => {
    expect(judgeSize({ from: 5, to: 3 }, now).kind).toBe(expected);
  });

  it('is refused with the bound as it is now', () => {
    expect(judgeSize({ from: 5, to: 3 }, { ...size(5), min: 4 })).toEqual({
      kind: 'refused',
      reason: { kind: 'BelowMinimum', now: 4, to: 3 },
    });
    expect(judgeSize({ from: 2, to: 5 }, { ...size(2, 4), min: 1 })).toEqual({
      kind: 'refused',
      reason: { kind: 'AboveMaximum', now: 4, to: 5 },
    });
  });
});
