import { expect, it } from 'vitest';
import { driversOf, untilNextStep } from '../../../core/drain/drivers.ts';
import { addTime, durationMs } from '../../../core/model/values/time.ts';
import { NOW, times } from '../../scenario-builders.ts';

it('one driver takes up to 50 empty nodes, and each other node has its own', () => {
  const empty = times(51, (i) => ({ id: `e${i}`, kind: 'empty' as const }));
  const drains = times(2, (i) => ({ id: `d${i}`, kind: 'drain' as const }));
  expect(driversOf([...drains, ...empty]).map((ids) => [ids.length, ids[0]])).toEqual([
    [50, 'e0'],
    [1, 'e50'],
    [1, 'd0'],
    [1, 'd1'],
  ]);
  expect(driversOf([])).toEqual([]);
});

it('a driver waits for the first of its drains that is due, a second at least', () => {
  const due = (ms: number) => ({ dueAt: addTime(NOW, durationMs(ms)) });
  expect(untilNextStep([due(60_000), due(20_000)], NOW)).toBe(20_000);
  expect(untilNextStep([due(60_000), due(-5_000)], NOW)).toBe(1_000);
  expect(untilNextStep([], NOW)).toBe(0);
});
