import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuantity, roundUp } from '../../../../core/model/values/quantity.ts';

describe('parseQuantity', () => {
  test.each([
    ['0', 0],
    ['4', 4],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['100m', 0.1],
    ['16Gi', 17_179_869_184],
    ['1.5Ki', 1_536],
    ['1k', 1_000],
    ['12E', 12e18],
    ['1Ei', 2 ** 60],
    ['1e3', 1_000],
    ['1E3', 1_000],
    ['12e-1', 1.2],
    ['100u', 0.0001],
    ['1n', 1e-9],
    ['+5', 5],
    ['-5', -5],
  ])('reads %s as %d', (text, value) => {
    expect(parseQuantity(text)).toEqual({ ok: true, value });
  });

  test('does not parse texts of more than 64 characters', () => {
    expect(parseQuantity('0'.repeat(64))).toEqual({ ok: true, value: 0 });
    expect(parseQuantity('0'.repeat(65)).ok).toBe(false);
    expect(parseQuantity(`${'1'.repeat(200_000)}!`).ok).toBe(false);
  });

  test.each([
    ['100m', 100],
    ['0.1', 100],
    ['2', 2_000],
    ['1500u', 1.5],
    ['0.0005', 0.5],
  ])('reads %s of CPU as %d milli', (text, value) => {
    expect(parseQuantity(text, 1_000)).toEqual({ ok: true, value });
  });

  test.each(['', 'abc', '1 Gi', '1gi', 'Gi', '1.2.3', '1e', '0x10', '1Mi1', '--1', 'NaN', 'Infinity', '1e999'])(
    'refuses %j',
    (text) => {
      expect(parseQuantity(text).ok).toBe(false);
    },
  );

  test('whole milli-CPUs are exact however they are written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (milli) => {
        expect(parseQuantity(`${milli}m`, 1_000)).toEqual({ ok: true, value: milli });
        expect(parseQuantity((milli / 1_000).toFixed(3), 1_000)).toEqual({ ok: true, value: milli });
      }),
    );
  });
});

describe('roundUp', () => {
  test.each([
    [1, 1],
    [1.1, 2],
    [0.1 + 0.2, 1],
    [1.000_000_000_1, 1],
    [(0.1 + 0.2) * 10, 3],
    [0, 0],
  ])('%d becomes %d', (value, whole) => {
    expect(roundUp(value)).toBe(whole);
  });
});
