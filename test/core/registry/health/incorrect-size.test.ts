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
    ['none when all are there', null, { target: 3, ready: 3 }, {}],
    ['none when empty', null, { target: 0 }, {}],
    ['too few', [2, 3, NOW], { target: 3, ready: 2 }, {}],
    ['none at all', [0, 3, NOW], { target: 3 }, {}],
    ['too many', [3, 2, NOW], { target: 2, ready: 3 }, {}],
    ['none while the missing ones are on their way', null, { target: 3, ready: 1, unregistered: 2 }, {}],
    ['none when the missing ones never registered', null, { target: 3, ready: 1, long: 2 }, {}],
    ['too few beside one that is on its way', [1, 3, NOW], { target: 3, ready: 1, unregistered: 1 }, {}],
    ['the same as before, since then', [2, 3, minutesAgo(16)], { target: 3, ready: 2 }, since(2, 3)],
    ['another number of nodes', [1, 3, NOW], { target: 3, ready: 1 }, since(2, 3)],
    ['another target', [2, 4, NOW], { target: 4, ready: 2 }, since(2, 3)],
    ['forgotten when it is right', null, { target: 2, ready: 2 }, since(2, 3)],
  ] as const)('%s → %j', (_, expected, given, before) => {
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
    ['comes down', { target: 5, ready: 3 }, since(3, 5), 3],
    ['not before its time', { target: 5, ready: 3 }, since(3, 5, minutesAgo(15)), null],
    [
      'not before the time of its group',
      { target: 5, ready: 3, template: { options: { maxNodeProvisionTime: minutes(30) } } },
      since(3, 5, minutesAgo(30)),
      null,
    ],
    [
      'after the time of its group',
      { target: 5, ready: 3, template: { options: { maxNodeProvisionTime: minutes(5) } } },
      since(3, 5, minutesAgo(6)),
      3,
    ],
    ['not when it has changed', { target: 5, ready: 3 }, since(4, 5), null],
    ['not when there are too many', { target: 2, ready: 3 }, since(3, 2), null],
    ['not below the minimum', { min: 4, target: 5, ready: 3 }, since(3, 5), 4],
    ['not at the minimum', { min: 5, target: 5, ready: 3 }, since(3, 5), null],
    ['not below instances that are on their way', { target: 5, ready: 3, unregistered: 1 }, since(3, 5), 4],
    ['beside instances that are ended', { target: 5, ready: 2, long: 1 }, since(2, 5), 3],
    ['not while a scale-up is open', { target: 5, ready: 3 }, since(3, 5), null, { scaleUpRequests: [request(2)] }],
    [
      'not soon after a repair that could not be made',
      { target: 5, ready: 3 },
      since(3, 5),
      null,
      { repairBackoff: { [NAME]: inMinutes(1) } },
    ],
    ['again after that', { target: 5, ready: 3 }, since(3, 5), 3, { repairBackoff: { [NAME]: NOW } }],
  ])('%s', (_, given, size, expected, state?) => {
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
