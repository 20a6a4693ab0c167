import { describe, expect, test } from 'vitest';
import { instanceId } from '../../../../core/model/values/names.ts';
import { launchFailureId } from '../../../../core/model/node-group.ts';
import { minutes } from '../../../../core/model/values/time.ts';
import { inMinutes, minutesAgo, NAME, populated, registryOf, request } from '../given.ts';
import { NOW } from '../../../scenario-builders.ts';

const seen = (...ids: readonly number[]) => ({ [NAME]: ids.map((n) => launchFailureId(NAME, n)) });

// Source: `handleInstanceCreationErrors` of Cluster Autoscaler's clusterstate.go: errors not seen before, while a
// scale-up is open, reduce it and back the group off.
describe('failed launches', () => {
  test.each([
    { name: 'all of a request close it', errors: ['OutOfResources', 'OutOfResources'], left: 0, wait: 5 },
    { name: 'some reduce it', errors: ['OutOfResources'], left: 1, wait: 5 },
    { name: 'are told by class: quota', errors: ['Quota'], left: 1, wait: 5 },
    { name: 'are told by class: addresses', errors: ['Addresses'], left: 1, wait: 5 },
    { name: 'wait longest when something must be corrected', errors: ['Configuration'], left: 1, wait: 30 },
    { name: 'wait longest when something is not allowed', errors: ['Authorization'], left: 1, wait: 30 },
    {
      name: 'wait for the most lasting reason',
      errors: ['OutOfResources', 'Configuration'],
      left: 0,
      wait: 30,
      class: 'Configuration',
    },
    { name: 'change nothing the second time', errors: ['Quota'], seen: seen(0), left: 2, wait: null },
    { name: 'count when they are new', errors: ['Quota', 'Quota'], seen: seen(0), left: 1, wait: 5 },
    { name: 'back off no group without a request', errors: ['Quota'], asked: false, left: 0, wait: null },
    { name: 'are all seen from now on', errors: ['Other', 'Other'], seen: seen(1), left: 1, wait: 5 },
    { name: 'are none, and nothing happens', errors: [], left: 2, wait: null },
  ] as const)('$name', (row) => {
    const { errors, left, wait } = row;
    const { state, groups } = registryOf([populated({ target: 3, ready: 1, errors })], {
      scaleUpRequests: 'asked' in row ? [] : [request(2)],
      seenErrors: 'seen' in row ? row.seen : {},
    });
    expect(state.scaleUpRequests).toEqual(left === 0 ? [] : [request(left)]);
    expect(state.backoff).toEqual(
      wait === null
        ? {}
        : {
            [NAME]: {
              until: inMinutes(wait),
              duration: minutes(wait),
              lastFailure: NOW,
              class: 'class' in row ? row.class : errors[0],
            },
          },
    );
    expect(state.seenErrors).toEqual(errors.length === 0 ? {} : seen(...errors.keys()));
    expect(groups.get(NAME)!.backoff !== null).toBe(wait !== null);
  });

  test('never come: the others of their request still do', () => {
    const { groups } = registryOf([populated({ target: 4, ready: 1, unregistered: 2, errors: ['Quota'] })], {
      scaleUpRequests: [request(3)],
    });
    expect(groups.get(NAME)!.upcoming).toBe(2);
  });

  test('are taken from the target before their group would be called unhealthy', () => {
    const errors = Array.from({ length: 9 }, () => 'OutOfResources' as const);
    const { report, groups } = registryOf([populated({ target: 10, ready: 1, errors })], {
      scaleUpRequests: [request(9)],
    });
    expect(report.groups[NAME]!.healthy).toBe(true);
    expect(groups.get(NAME)!.target).toBe(1);
  });
});

// Source: `deleteCreatedNodesWithErrors` and `removeOldUnregisteredNodes` of Cluster Autoscaler's static_autoscaler.go.
describe('what is deleted', () => {
  const failed = (n: number) => ({ kind: 'DeleteErrored', group: NAME, instance: `i-placeholder-g-${n}` });
  const broken = (n: number) => ({ kind: 'DeleteErrored', group: NAME, instance: `i-g-broken${n}` });
  const unregistered = (n: number) => ({ kind: 'DeleteUnregistered', group: NAME, instance: `i-g-long${n}` });

  test.each([
    { name: 'instances with errors', given: { target: 2, broken: 2 }, expected: [broken(0), broken(1)], target: 0 },
    {
      name: 'instances that never registered',
      given: { target: 3, ready: 1, long: 2 },
      expected: [unregistered(0), unregistered(1)],
      target: 1,
    },
    {
      name: 'only as many as the minimum allows',
      given: { min: 2, target: 3, ready: 1, long: 2 },
      expected: [unregistered(0)],
      target: 2,
    },
    { name: 'none at the minimum', given: { min: 2, target: 2, long: 2 }, expected: [], target: 2 },
    {
      name: 'at the minimum too, if forced',
      given: { min: 2, target: 2, long: 2 },
      options: { forceDeleteUnregisteredNodes: true },
      expected: [unregistered(0), unregistered(1)],
      target: 2,
    },
    {
      name: 'forced for one kind is not forced for the other',
      given: { min: 2, target: 2, long: 1, broken: 1 },
      options: { forceDeleteFailedNodes: true },
      expected: [broken(0)],
      target: 2,
    },
    {
      name: 'a failed launch is not deleted by force: there is no instance',
      given: { min: 1, target: 1, errors: ['Quota'] },
      options: { forceDeleteFailedNodes: true },
      expected: [],
      target: 1,
    },
    {
      name: 'instances without a node first, then failed launches',
      given: { min: 1, target: 3, long: 1, errors: ['Quota', 'Quota'] },
      expected: [unregistered(0), failed(0)],
      target: 1,
    },
    {
      name: 'failed launches like instances',
      given: { target: 2, ready: 1, errors: ['Quota'] },
      expected: [failed(0)],
      target: 1,
    },
    {
      name: 'instances with errors, then failed launches',
      given: { min: 1, target: 3, broken: 1, errors: ['Quota', 'Quota'] },
      expected: [broken(0), failed(0)],
      target: 1,
    },
    { name: 'not those that may still register', given: { target: 2, unregistered: 2 }, expected: [], target: 2 },
    {
      name: 'not soon after it could not be done',
      given: { target: 2, long: 2 },
      state: { repairBackoff: { [NAME]: inMinutes(1) } },
      expected: [],
      target: 2,
    },
  ] as const)('$name', (row) => {
    const { report, groups } = registryOf(
      [populated(row.given)],
      'state' in row ? { ...row.state, unregisteredSince: { [instanceId('i-g-long0')]: minutesAgo(16) } } : {},
      'options' in row ? row.options : {},
    );
    expect(report.repairs).toEqual(row.expected);
    expect(groups.get(NAME)!.target).toBe(row.target);
  });

  test('in an unhealthy cluster only those that never registered', () => {
    const { report } = registryOf(
      [populated({ target: 4, ready: 1, long: 1, broken: 1 })],
      {},
      { okTotalUnreadyCount: -1, maxTotalUnreadyPercentage: -1 },
    );
    expect(report.clusterHealthy).toBe(false);
    expect(report.repairs).toEqual([unregistered(0)]);
  });
});
