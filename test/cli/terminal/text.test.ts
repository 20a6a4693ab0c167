import { describe, expect, test } from 'vitest';
import { clockTime } from '../../../cli/terminal/clock-time.ts';
import { length } from '../../../cli/terminal/text.ts';
import { wrap } from '../../../cli/terminal/wrap.ts';

test.each([
  [0.04, '0.0 s'],
  [9.96, '10.0 s'],
  [46.4, '46 s'],
  [119.4, '119 s'],
  [120, '2 min'],
  [125, '2 min 5 s'],
  [600.2, '10 min'],
])('%d seconds last %s', (seconds, text) => {
  expect(length(seconds)).toBe(text);
});

test.each([
  [5.9, '0:05'],
  [605, '10:05'],
  [3_905, '1:05:05'],
])('%d seconds after the start it is %s', (seconds, text) => {
  expect(clockTime(seconds)).toBe(text);
});

describe('a text is broken', () => {
  test('between words', () => {
    expect(wrap('the load falls again', 10)).toEqual(['the load', 'falls', 'again']);
  });

  test('within a word that is too long for any line', () => {
    const lines = wrap('see cluster-autoscaler.kubernetes.io/x now', 16);
    expect(lines.filter((line) => line.length > 16)).toEqual([]);
    expect(lines.join('').replaceAll(' ', '')).toBe('seecluster-autoscaler.kubernetes.io/xnow');
  });
});
