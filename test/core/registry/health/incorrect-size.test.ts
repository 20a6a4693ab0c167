import { describe, expect, test } from 'vitest';
import { minutes } from '../../../../core/model/values/time.ts';
import { inMinutes, minutesAgo, NAME, populated, registryOf, request } from '../given.ts';
import { NOW } from '../../../scenario-builders.ts';

const since = (current: number, expected: number, firstObserved = minutesAgo(16)) => ({
  [NAME]: { current, expected, firstObserved },
});

// Source: `updateIncorrectNodeGroupSizes` of Cluster Autoscaler's clusterstate.go: registered > target, or
// registered < target − unregistered; the first observation stays while neither number changes.
describe('an incorrect size', () => {
  test.each([
    { name: 'none when all are there', given: { target: 3, ready: 3 }, before: {}, expected: null },
    { name: 'none when empty', given: { target: 0 }, before: {}, expected: null },
    { name: 'too few', given: { target: 3, ready: 2 }, before: {}, expected: [2, 3, NOW] },
    { name: 'none at all', given: { target: 3 }, before: {}, expected: [0, 3, NOW] },
    { name: 'too many', given: { target: 2, ready: 3 }, before: {}, expected: [3, 2, NOW] },
    {
      name: 'none while the missing ones are on their way',
      given: { target: 3, ready: 1, unregistered: 2 },
      before: {},
      expected: null,
    },
    {
      name: 'none when the missing ones never registered',
      given: { target: 3, ready: 1, long: 2 },
      before: {},
      expected: null,
    },
    {
      name: 'too few beside one that is on its way',
      given: { target: 3, ready: 1, unregistered: 1 },
      before: {},
      expected: [1, 3, NOW],
    },
    {
      name: 'the same as before, since then',
      given: { target: 3, ready: 2 },
      before: since(2, 3),
      expected: [2, 3, minutesAgo(16)],
    },
    { name: 'another number of nodes', given: { target: 3, ready: 1 }, before: since(2, 3), expected: [1, 3, NOW] },
    { name: 'another target', given: { target: 4, ready: 2 }, before: since(2, 3), expected: [2, 4, NOW] },
    { name: 'forgotten when it is right', given: { target: 2, ready: 2 }, before: since(2, 3), expected: null },
  ] as const)('$name → $expected', ({ given, before, expected }) => {
    const { report, state } = registryOf([populated(given)], { incorrectSize: before });
    const size = expected && { current: expected[0], expected: expected[1], firstObserved: expected[2] };
    expect(report.groups[NAME]!.incorrectSize).toEqual(size);
    expect(state.incorrectSize).toEqual(size === null ? {} : { [NAME]: size });
  });
});

// Source: `fixNodeGroupSize` of Cluster Autoscaler's static_autoscaler.go: only sizes that are too small, and only when
// they have been the same for longer than maxNodeProvisionTime.
describe('a target above the instances that exist', () => {
  test.each([
    { name: 'comes down', given: { target: 5, ready: 3 }, size: since(3, 5), expected: 3 },
    { name: 'not before its time', given: { target: 5, ready: 3 }, size: since(3, 5, minutesAgo(15)), expected: null },
    {
      name: 'not before the time of its group',
      given: { target: 5, ready: 3, template: { options: { maxNodeProvisionTime: minutes(30) } } },
      size: since(3, 5, minutesAgo(30)),
      expected: null,
    },
    {
      name: 'after the time of its group',
      given: { target: 5, ready: 3, template: { options: { maxNodeProvisionTime: minutes(5) } } },
      size: since(3, 5, minutesAgo(6)),
      expected: 3,
    },
    { name: 'not when it has changed', given: { target: 5, ready: 3 }, size: since(4, 5), expected: null },
    { name: 'not when there are too many', given: { target: 2, ready: 3 }, size: since(3, 2), expected: null },
    { name: 'not below the minimum', given: { min: 4, target: 5, ready: 3 }, size: since(3, 5), expected: 4 },
    { name: 'not at the minimum', given: { min: 5, target: 5, ready: 3 }, size: since(3, 5), expected: null },
    {
      name: 'not below instances that are on their way',
      given: { target: 5, ready: 3, unregistered: 1 },
      size: since(3, 5),
      expected: 4,
    },
    {
      name: 'beside instances that are ended',
      given: { target: 5, ready: 2, long: 1 },
      size: since(2, 5),
      expected: 3,
    },
    {
      name: 'not while a scale-up is open',
      given: { target: 5, ready: 3 },
      size: since(3, 5),
      state: { scaleUpRequests: [request(2)] },
      expected: null,
    },
    {
      name: 'not soon after a repair that could not be made',
      given: { target: 5, ready: 3 },
      size: since(3, 5),
      state: { repairBackoff: { [NAME]: inMinutes(1) } },
      expected: null,
    },
    {
      name: 'again after that',
      given: { target: 5, ready: 3 },
      size: since(3, 5),
      state: { repairBackoff: { [NAME]: NOW } },
      expected: 3,
    },
  ])('$name', ({ given, size, state, expected }) => {
    const { report } = registryOf([populated(given)], { incorrectSize: size, ...state });
    expect(report.repairs.filter(({ kind }) => kind === 'DecreaseTarget')).toEqual(
      expected === null ? [] : [{ kind: 'DecreaseTarget', group: NAME, from: given.target, to: expected }],
    );
  });
});

test('a target above the instances that exist stays as it is in an unhealthy cluster', () => {
  const { report } = registryOf(
    [populated({ target: 5, ready: 3 })],
    { incorrectSize: since(3, 5) },
    { okTotalUnreadyCount: -1, maxTotalUnreadyPercentage: -1 },
  );
  expect(report.clusterHealthy).toBe(false);
  expect(report.repairs).toEqual([]);
});
