import { expect, test } from 'vitest';
import { CORDONED_FOR_NOTICE } from '../../core/notices/departures.ts';
import { minutes } from '../../core/model/values/time.ts';
import { node } from '../builders.ts';
import { NOW } from '../scenario-builders.ts';
import { cordonedNodes, recommendedNodes } from './leaving.ts';

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

test.each<{ what: string; answer?: string; age?: number; recommended?: boolean; before?: boolean; closed: boolean }>([
  { what: 'AWS recommends to replace', closed: true },
  { what: 'is left alone', answer: 'Ignore', closed: false },
  { what: 'AWS recommends nothing for', recommended: false, closed: false },
  { what: 'AWS has recommended to replace long ago', age: minutes(60), closed: false },
  { what: 'has been cordoned before', before: true, closed: false },
])('a node that $what takes no more pods from the decision on: $closed', (one) => {
  const { answer = 'Cordon', age = 0, recommended: isRecommended = true, before = false, closed } = one;
  const there = node('a', {}, { annotations: before ? { [CORDONED_FOR_NOTICE]: '' } : {} });
  const cordoned = cordonedNodes(
    { notices: [{ node: 'a', instance: 'i-a', answer, receivedAt: NOW - age }] } as unknown as Call[0],
    { objects: { nodes: [there] }, now: NOW } as unknown as Call[1],
    { announcements: { of: () => (isRecommended ? [{ what: 'RebalanceRecommendation' }] : []) } } as unknown as Call[2],
  );
  expect(cordoned).toEqual(closed ? ['a'] : []);
});
