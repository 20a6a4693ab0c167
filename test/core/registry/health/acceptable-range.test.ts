import { describe, expect, test } from 'vitest';
import { inMinutes, NAME, populated, registryOf, removal, request } from '../given.ts';
import { NOW } from '../../../scenario-builders.ts';

// Source: `updateAcceptableRanges` of Cluster Autoscaler's clusterstate.go:
// min = target − long unregistered − open increase; max = target + open removals.
describe('acceptable sizes', () => {
  test.each([
    { name: 'nothing open', given: { target: 5, ready: 5 }, state: {}, expected: [5, 5] },
    { name: 'an empty group', given: { target: 0 }, state: {}, expected: [0, 0] },
    {
      name: 'an open increase',
      given: { target: 5, ready: 2 },
      state: { scaleUpRequests: [request(3)] },
      expected: [2, 5],
    },
    {
      name: 'an open increase, part of it there',
      given: { target: 5, ready: 4 },
      state: { scaleUpRequests: [request(3)] },
      expected: [2, 5],
    },
    {
      name: 'an increase that is complete',
      given: { target: 5, ready: 5 },
      state: { scaleUpRequests: [request(3)] },
      expected: [5, 5],
    },
    {
      name: 'an increase that timed out',
      given: { target: 5, ready: 2 },
      state: { scaleUpRequests: [request(3, inMinutes(-1))] },
      expected: [5, 5],
    },
    {
      name: 'an increase that failed in part',
      given: { target: 5, ready: 2, errors: ['Quota'] as const },
      state: { scaleUpRequests: [request(3)] },
      expected: [3, 5],
    },
    { name: 'instances that never registered', given: { target: 5, ready: 3, long: 2 }, state: {}, expected: [3, 5] },
    {
      name: 'both',
      given: { target: 9, ready: 3, long: 2 },
      state: { scaleUpRequests: [request(4)] },
      expected: [3, 9],
    },
    {
      name: 'another group’s increase',
      given: { target: 5, ready: 5 },
      state: { scaleUpRequests: [request(3, inMinutes(10), 'other')] },
      expected: [5, 5],
    },
    {
      name: 'removals under way',
      given: { target: 3, ready: 5 },
      state: { scaleDownRequests: [removal('g-n0', inMinutes(1)), removal('g-n1', inMinutes(5))] },
      expected: [3, 5],
    },
    {
      name: 'removals that should be over',
      given: { target: 3, ready: 5 },
      state: { scaleDownRequests: [removal('g-n0', inMinutes(1)), removal('g-n1', NOW)] },
      expected: [3, 4],
    },
    {
      name: 'removals from another group',
      given: { target: 3, ready: 3 },
      state: { scaleDownRequests: [removal('x', inMinutes(1), 'other')] },
      expected: [3, 3],
    },
  ])('$name → $expected', ({ given, state, expected: [min, max] }) => {
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
