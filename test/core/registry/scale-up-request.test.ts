import { describe, expect, test } from 'vitest';
import { epochMs, minutes, addTime } from '../../../core/model/values/time.ts';
import { NOW } from '../../scenario-builders.ts';
import { inMinutes, minutesAgo, NAME, populated, registryOf, request } from './given.ts';

describe('instances that are given up', () => {
  const given = populated({ target: 3, ready: 1, long: 2 });

  test('by the evaluation that finds their request late have not come: the group is backed off, and they are ended', () => {
    const { state, report, groups } = registryOf([given], { scaleUpRequests: [request(2, minutesAgo(1))] });
    expect(state.scaleUpRequests).toEqual([]);
    expect(state.backoff).toMatchObject({ [NAME]: { class: 'Timeout', duration: minutes(5), lastFailure: NOW } });
    expect(groups.get(NAME)).toMatchObject({ backoff: { class: 'Timeout' }, upcoming: 0, target: 1 });
    expect(report.repairs).toEqual(
      [0, 1].map((i) => ({ kind: 'DeleteUnregistered', group: NAME, instance: `i-g-long${i}` })),
    );
  });

  test('before any open request has had its time fail no open request', () => {
    const { state } = registryOf([given], { scaleUpRequests: [request(2, epochMs(NOW))] });
    expect(state.scaleUpRequests).toEqual([]);
    expect(state.backoff).toEqual({});
  });
});

const late = minutesAgo(1);
const TIMEOUT = { until: addTime(NOW, minutes(5)), duration: minutes(5), lastFailure: NOW, class: 'Timeout' };

// Source: `updateScaleRequests` of Cluster Autoscaler's clusterstate.go: closed when no node is awaited, timed out when
// its time has passed before; then the group is backed off, and the target goes back by what never came.
describe('a scale-up request', () => {
  test.each([
    ['is over when all have come', { target: 3, ready: 3 }, late, 0, null],
    ['stays open until its time', { target: 3, ready: 1 }, NOW, 2, null],
    ['times out after it', { target: 3, ready: 1 }, epochMs(NOW - 1), 0, 1],
    ['goes back by what never came', { target: 3, ready: 2 }, late, 0, 2],
    ['goes back from an empty group', { target: 2 }, late, 0, 0],
    ['keeps instances that may still register', { target: 3, ready: 1, unregistered: 1 }, late, 0, 2],
    ['keeps them all, if all are there', { target: 3, ready: 1, unregistered: 2 }, late, 0, 'none'],
    ['goes back by its own nodes only', { target: 9, ready: 1 }, late, 0, 7],
    ['never goes below the minimum', { min: 2, target: 3, ready: 1 }, late, 0, 2],
    ['goes nowhere at the minimum', { min: 3, target: 3, ready: 1 }, late, 0, 'none'],
  ] as const)('%s', (_, given, due, open, to) => {
    const asked = request(2, due);
    const { report, state, groups } = registryOf([populated(given)], { scaleUpRequests: [asked] });
    const timedOut = to !== null;
    expect(state.scaleUpRequests).toEqual(open === 0 ? [] : [asked]);
    expect(state.backoff).toEqual(timedOut ? { [NAME]: TIMEOUT } : {});
    expect(report.repairs).toEqual(
      typeof to === 'number' ? [{ kind: 'DecreaseTarget', group: NAME, from: given.target, to }] : [],
    );
    expect(groups.get(NAME)!.target).toBe(typeof to === 'number' ? to : given.target);
    const coming = 'unregistered' in given ? given.unregistered : 0;
    expect(groups.get(NAME)!.upcoming).toBe(coming + open);
  });

  test.each([
    { what: 'is open', minutes: 3, open: true },
    { what: 'times out by the time of its decision', minutes: 16, open: false },
  ])('that was over before its increase is made once more $what', ({ minutes: ago, open }) => {
    const given = { ...populated({ target: 2, ready: 1 }), pendingIncrease: { nodes: 1, since: minutesAgo(ago) } };
    const { state, groups, report } = registryOf([given], {});
    const again = { group: NAME, increase: 1, time: minutesAgo(ago), expectedAddTime: inMinutes(15 - ago) };
    expect(state.scaleUpRequests).toEqual(open ? [again] : []);
    expect(groups.get(NAME)!.upcoming).toBe(open ? 1 : 0);
    expect(state.backoff).toEqual(open ? {} : { [NAME]: TIMEOUT });
    expect(report.groups[NAME]!.healthy).toBe(true);
  });

  test('that times out again waits longer', () => {
    const backoff = {
      [NAME]: { ...TIMEOUT, until: minutesAgo(1), lastFailure: minutesAgo(6), class: 'Other' } as const,
    };
    const { state } = registryOf([populated({ target: 3, ready: 1 })], {
      scaleUpRequests: [request(2, late)],
      backoff,
    });
    expect(state.backoff[NAME]).toMatchObject({ duration: minutes(10), class: 'Timeout' });
  });

  test('that times out waits for the reason why nothing came, where that is known by then', () => {
    const { state, report } = registryOf([populated({ target: 4, ready: 1, errors: ['Configuration'] })], {
      scaleUpRequests: [request(3, late)],
    });
    expect(state.backoff[NAME]).toMatchObject({ duration: minutes(30), class: 'Configuration' });
    // The instance that could not be launched, and the two without any report.
    expect(report.repairs).toEqual([
      { kind: 'DeleteErrored', group: NAME, instance: 'i-placeholder-g-0' },
      { kind: 'DecreaseTarget', group: NAME, from: 4, to: 2 },
    ]);
  });

  test('that times out leaves the health of its group alone', () => {
    const { report } = registryOf([populated({ target: 12, ready: 6 })], { scaleUpRequests: [request(6, late)] });
    expect(report.groups[NAME]!.healthy).toBe(true);
  });
});
