import { expect, it } from 'vitest';
import { chunksOf } from '../../../../core/model/values/chunks.ts';

it.each([
  { list: [], size: 2, parts: [] },
  { list: [1, 2, 3], size: 2, parts: [[1, 2], [3]] },
  { list: [1, 2, 3], size: Infinity, parts: [[1, 2, 3]] },
])('$list in parts of $size', ({ list, size, parts }) => {
  expect(chunksOf<number>(list, size)).toEqual(parts);
});
