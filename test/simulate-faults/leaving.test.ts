import { expect, test } from 'vitest';
import { recommendedNodes } from './leaving.ts';

type Call = Parameters<typeof recommendedNodes>;

const KINDS = { a: 'RebalanceRecommendation', b: 'RebalanceRecommendation', c: 'ScheduledChange' } as const;

/** Of nodes `a` and `b`, whose instances AWS recommends to replace, `b` first, and of `c`, where it has announced something else. */
const recommended = (drained: readonly string[], answer = 'Replace') =>
  recommendedNodes(
    {
      notices: Object.keys(KINDS).map((node, n) => ({ node, instance: node, answer, receivedAt: 10 - n })),
    } as unknown as Call[0],
    {
      options: { maxDrainParallelism: 2 },
      state: { deletionsInProgress: drained.map((node) => ({ node, kind: 'drain' })) },
    } as unknown as Call[1],
    { announcements: { of: (instance: keyof typeof KINDS) => [{ what: KINDS[instance] }] } } as unknown as Call[2],
  );

test('a node is planned for on a recommendation that AWS has made, where the decision says so', () => {
  expect(recommended([])).toEqual(['b', 'a']);
  expect(recommended([], 'Cordon')).toEqual([]);
});

test('as many are as may be drained beside the drains in progress, the oldest recommendation first', () => {
  expect(recommended(['other'])).toEqual(['b']);
  expect(recommended(['b'])).toEqual(['a']);
  expect(recommended(['other', 'another'])).toEqual([]);
});
