import { expect, it } from 'vitest';
import { driversOf } from '../../../core/drain/drivers.ts';
import { times } from '../../scenario-builders.ts';

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
