import { describe, expect, test } from 'vitest';
import { brokenCeilings, ceilingsFor } from '../../../scripts/measure/ceilings.ts';

describe('the ceilings of figures', () => {
  test('are what the figures are, and tens above a thousand', () => {
    expect(ceilingsFor({ lines: 4_711, folders: 23, share: 0.5 })).toEqual({ lines: 4_720, folders: 23, share: 0.5 });
  });

  test.each([
    ['at its ceiling', { lines: 100 }, []],
    ['a little below it', { lines: 97 }, []],
    ['above it', { lines: 101 }, ['lines: 101, above the ceiling of 100']],
    ['far below it', { lines: 90 }, ['lines: 90, far below the ceiling of 100']],
    ['without one', { lines: 100, folders: 2 }, ['folders: 2, and no ceiling']],
    ['that is not counted any more', {}, ['lines: a ceiling, and no such figure']],
  ])('are broken or kept by a figure %s', (_, figures, broken) => {
    expect(brokenCeilings(figures, { lines: 100 })).toEqual(broken);
  });
});
