import { describe, expect, test } from 'vitest';
import { nodesToScore } from '../../../../simulation/cluster/scoring/nodes-to-score.ts';

describe('the scheduler', () => {
  test.each([
    [1, 1],
    [99, 99],
    [100, 100],
    [200, 100],
    [300, 144],
    [1_000, 420],
    [5_000, 500],
    [10_000, 500],
  ])('of %d nodes looks for %d that fit', (nodes, expected) => {
    expect(nodesToScore(nodes)).toBe(expected);
  });
});
