import { describe, expect, test } from 'vitest';
import { inMinutes, NAME, populated, registryOf, removal, request } from '../given.ts';
import { NOW } from '../../../scenario-builders.ts';

// Source: `updateAcceptableRanges` of Cluster Autoscaler's clusterstate.go:
// min = target − long unregistered − open increase; max = target + open removals.
describe('acceptable sizes', () => {
  test.each([
    ['nothing open', [5, 5], { target: 5, ready: 5 }, {}],
    ['an empty group', [0, 0], { target: 0 }, {}],
    ['an open increase', [2, 5], { target: 5, ready: 2 }, { scaleUpRequests: [request(3)] }],
    ['an open increase, part of it there', [2, 5], { target: 5, ready: 4 }, { scaleUpRequests: [request(3)] }],
    ['an increase that is complete', [5, 5], { target: 5, ready: 5 }, { scaleUpRequests: [request(3)] }],
    ['an increase that timed out', [5, 5], { target: 5, ready: 2 }, { scaleUpRequests: [request(3, inMinutes(-1))] }],
    [
      'an increase that failed in part',
      [3, 5],
      { target: 5, ready: 2, errors: ['Quota'] as const },
      { scaleUpRequests: [request(3)] },
    ],
    ['instances that never registered', [3, 5], { target: 5, ready: 3, long: 2 }, {}],
    ['both', [3, 9], { target: 9, ready: 3, long: 2 }, { scaleUpRequests: [request(4)] }],
    [
      'another group’s increase',
      [5, 5],
      { target: 5, ready: 5 },
      { scaleUpRequests: [request(3, inMinutes(10), 'other')] },
    ],
    [
      'removals under way',
      [3, 5],
      { target: 3, ready: 5 },
      { scaleDownRequests: [removal('g-n0', inMinutes(1)), removal('g-n1', inMinutes(5))] },
    ],
    [
      'removals that should be over',
      [3, 4],
      { target: 3, ready: 5 },
      { scaleDownRequests: [removal('g-n0', inMinutes(1)), removal('g-n1', NOW)] },
    ],
    [
      'removals from another group',
      [3, 3],
      { target: 3, ready: 3 },
      { scaleDownRequests: [removal('x', inMinutes(1), 'other')] },
    ],
  ])('%s → %j', (_, [min, max], given, state) => {
    const { report } = registryOf([populated(given)], state);
    expect(report.groups[NAME]!.acceptable).toEqual({ min, max, current: given.target });
  });

  test('removals are forgotten once their time is over', () => {
    const open = removal('a', inMinutes(1));
    expect(
      registryOf([], { scaleDownRequests: [open, removal('b', NOW), removal('c', inMinutes(-1))] }).state
        .scaleDownRequests,
    ).toEqual([open]);
  });
});
