import { expect, test } from 'vitest';
import { repetitions, sampleOf } from './sample.ts';

const TEN = Array.from({ length: 10 }, (_, i) => i);

test('without a seed a sample is everything', () => {
  expect(sampleOf('numbers', TEN, 3, undefined)).toEqual(TEN);
  expect(repetitions(20, 4, undefined)).toBe(20);
});

test('a sample is so many members in their order, the same for the same seed', () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const drawn = sampleOf('numbers', TEN, 3, String(seed));
    expect(drawn).toEqual([...new Set(drawn)].toSorted((a, b) => a - b));
    expect(drawn).toHaveLength(3);
    expect(sampleOf('numbers', TEN, 3, String(seed))).toEqual(drawn);
  }
  expect(sampleOf('numbers', TEN, 30, '1')).toEqual(TEN);
  expect(repetitions(20, 4, '1')).toBe(4);
});

test('every member is drawn by some seed, and not with the same others each time', () => {
  const samples = TEN.flatMap((seed) => TEN.map((more) => sampleOf('numbers', TEN, 3, `${seed}${more}`)));
  expect(new Set(samples.flat()).size).toBe(10);
  expect(new Set(samples.map(String)).size).toBeGreaterThan(40);
});

test('samples of different things do not depend on each other', () => {
  const same = TEN.filter(
    (seed) => String(sampleOf('a', TEN, 3, String(seed))) === String(sampleOf('b', TEN, 3, String(seed))),
  );
  expect(same.length).toBeLessThan(5);
});
