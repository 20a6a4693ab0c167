import { describe, expect, test } from 'vitest';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { NOW } from '../../scenario-builders.ts';
import { minutesAgo, NAME, populated, registryOf, request } from './given.ts';

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
