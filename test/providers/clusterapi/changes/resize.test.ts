import { describe, expect, test } from 'vitest';
import type { SetSizeOutcome } from '../../../../core/model/answers.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { err } from '../../../../core/model/values/result.ts';
import { refusedChange } from '../../../../providers/clusterapi/changes/outcomes.ts';
import { setMachineSize } from '../../../../providers/clusterapi/changes/resize.ts';
import { apiError, managementStandIn, type StandIn, type StandInOptions } from './group-stand-in.ts';

const GONE = refusedChange('GroupGone', 'there is no such group');

const resize = (group: StandIn, size: number): Promise<SetSizeOutcome> =>
  group.passing(setMachineSize(group.access, size, GONE));

const scaled = (group: StandIn): readonly unknown[] => {
  const sizes: unknown[] = [];
  group.onRequest(({ verb, when, change }) => verb === 'scale' && when === 'after' && sizes.push(change));
  return sizes;
};

/** Three Machines and a size of five, as no controller makes the others. */
const MISSING: StandInOptions = { replicas: 5, machines: ['m0', 'm1', 'm2'], every: null };

describe('a size', () => {
  test.each<readonly [string, number, StandInOptions]>([
    ['above the present one', 8, {}],
    ['the maximum', 10, {}],
    ['below the present one, for Machines that are missing', 4, MISSING],
    ['of exactly the Machines that there are', 3, MISSING],
    ['above the Machines that are too many', 4, { replicas: 3, machines: ['m0', 'm1', 'm2', 'm3'], every: null }],
  ])('%s is set', async (_, size, options) => {
    const group = managementStandIn(options);
    const sizes = scaled(group);
    expect(await resize(group, size)).toEqual({ kind: 'set' });
    expect(sizes).toEqual([size]);
    expect(group.state.deleted).toEqual([]);
  });

  test('that the group has is set without a write', async () => {
    const group = managementStandIn();
    const sizes = scaled(group);
    expect(await resize(group, 3)).toEqual({ kind: 'set' });
    expect(sizes).toEqual([]);
  });

  const remove = ({ state }: StandIn) => (state.resource = { ...state.resource, deletedAt: epochMs(1) });
  const pause = ({ state }: StandIn) => (state.paused = 'MachineDeployment default/web is paused');
  const none = (): void => undefined;

  test.each<readonly [string, number, string, (group: StandIn) => unknown, StandInOptions]>([
    ['below the minimum', 1, 'BelowMinSize', none, { min: 2 }],
    ['below zero', -1, 'BelowMinSize', none, { min: -3 }],
    ['a fraction', 3.5, 'BelowMinSize', none, {}],
    ['above the maximum', 11, 'AboveMaxSize', none, {}],
    ['below the Machines that there are', 2, 'WouldDeleteMachines', none, {}],
    ['below the Machines of a group that lacks some', 2, 'WouldDeleteMachines', none, MISSING],
    ['while it is being deleted', 4, 'GroupGone', remove, {}],
    ['while it is paused', 4, 'Paused', pause, {}],
  ])('%s is refused without a write', async (_, size, code, prepare, options) => {
    const group = managementStandIn(options);
    prepare(group);
    const sizes = scaled(group);
    expect(await resize(group, size)).toMatchObject({ kind: 'failed', class: 'Configuration', code });
    expect(sizes).toEqual([]);
  });

  test('does not count Machines that are being deleted', async () => {
    const group = managementStandIn({ replicas: 4, every: null });
    group.remove('m0');
    expect(await resize(group, 3)).toEqual({ kind: 'set' });
    group.runControllers(100);
    await group.wait(20_000);
    expect(group.state.deleted).toEqual(['m0']);
  });
});

describe('a resource that changes meanwhile', () => {
  const conflicting = (group: StandIn, most: number, change: () => void): void => {
    let conflicts = 0;
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === 'before' && conflicts < most) {
        conflicts += 1;
        change();
      }
    });
  };

  test('is read again, and the size is set', async () => {
    const group = managementStandIn();
    conflicting(group, 8, group.touch);
    expect(await resize(group, 5)).toEqual({ kind: 'set' });
    expect(group.state.resource.replicas).toBe(5);
  });

  test('is given up for now where it changes nine times in a row', async () => {
    const group = managementStandIn();
    conflicting(group, 9, group.touch);
    expect(await resize(group, 5)).toMatchObject({
      kind: 'failed',
      class: 'Throttled',
      code: 'Conflict',
      message: 'the resource was changed by other clients 9 times in a row',
    });
    expect(group.state.resource.replicas).toBe(3);
  });

  test.each<readonly [string, string, (group: StandIn) => void]>([
    ['its maximum is lower', 'AboveMaxSize', ({ state }) => (state.bounds.max = 4)],
    ['its minimum is higher', 'BelowMinSize', ({ state }) => (state.bounds.min = 6)],
    ['it is paused', 'Paused', ({ state }) => (state.paused = 'Cluster default/c1 is paused')],
  ])('is judged again: %s', async (_, code, change) => {
    const group = managementStandIn();
    conflicting(group, 1, () => (change(group), group.touch()));
    expect(await resize(group, 5)).toMatchObject({ code });
    expect(group.state.resource.replicas).toBe(3);
  });

  test('is judged again: Machines have come', async () => {
    const group = managementStandIn(MISSING);
    conflicting(group, 1, () => (group.add('m3'), group.add('m4'), group.touch()));
    expect(await resize(group, 4)).toMatchObject({ code: 'WouldDeleteMachines' });
  });
});

describe('a request that fails', () => {
  test.each<readonly [number, string, string]>([
    [401, 'Authorization', 'Refused'],
    [403, 'Authorization', 'Refused'],
    [404, 'Configuration', 'GroupGone'],
    [422, 'Configuration', 'Refused'],
    [429, 'Throttled', 'Refused'],
    [500, 'Other', 'Refused'],
  ])('with %i is a failure of class %s', async (status, expected, code) => {
    const group = managementStandIn();
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === 'before') {
        throw apiError(status, 'Refused');
      }
    });
    expect(await resize(group, 5)).toMatchObject({ kind: 'failed', class: expected, code });
  });

  test('a group that is none, or none any more, says why', async () => {
    const { access } = managementStandIn();
    const problem = refusedChange('NoGroup', 'its bounds cannot hold');
    expect(await setMachineSize({ ...access, read: () => Promise.resolve(null) }, 5, GONE)).toBe(GONE);
    expect(await setMachineSize({ ...access, read: () => Promise.resolve(err(problem)) }, 5, GONE)).toBe(problem);
  });

  test('what is no failed request is thrown', async () => {
    const { access } = managementStandIn();
    const read = () => Promise.reject(new TypeError('a bug'));
    await expect(setMachineSize({ ...access, read }, 5, GONE)).rejects.toThrow('a bug');
  });
});
