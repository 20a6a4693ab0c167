import { describe, expect, it } from 'vitest';
import type { DrainPhase, StoredDrain } from '../../../../core/model/drain.ts';
import type { Intent } from '../../../../core/model/intent.ts';
import { groupName, instanceId } from '../../../../core/model/values/names.ts';
import { addTime, type EpochMs, minutes, seconds } from '../../../../core/model/values/time.ts';
import { resizedByOthers } from '../../../../core/actuation/changes/resized-by-others.ts';
import { drainOf } from '../../../providers/drain-store.contract.ts';
import { group, NOW, sizeIntent } from '../../../scenario-builders.ts';

const OVER = NOW;
const YOUNG = addTime(NOW, seconds(1));
const set = (id: string, from: number, to: number, claimedUntil: EpochMs | null = OVER, name = 'a'): Intent =>
  sizeIntent(name, from, to, { id, status: 'done', claimedUntil });
const deletion = (...ids: readonly string[]): Intent => {
  const { from: _from, to: _to, drained: _drained, ...common } = sizeIntent('a', 0, 1, { id: '2-a' });
  return { ...common, kind: 'DeleteInstances', instances: ids.map(instanceId), force: false };
};
const drain = (instance: string, phase: DrainPhase, terminateAskedAt: EpochMs | null, name = 'a'): StoredDrain => ({
  drain: drainOf('n1', { group: groupName(name), instance: instanceId(instance), phase, terminateAskedAt }),
  attempt: 1,
  drivenUntil: NOW,
  revision: 1,
});
const given = (
  target: number,
  intents: readonly Intent[],
  drains: readonly StoredDrain[] = [],
  seenSizes: Readonly<Record<string, number>> = {},
) =>
  resizedByOthers(
    group('a', { target }),
    { intents, drains, state: { seenSizes, lastScaleUpEvaluation: addTime(NOW, minutes(-1)) } },
    NOW,
  );

describe('a size that was set', () => {
  it.each([
    ['is shown', 7, [set('1-a', 1, 7)], null],
    ['is taken back', 1, [set('1-a', 1, 7)], 1],
    ['may not be shown yet', 1, [set('1-a', 1, 7, YOUNG)], null],
    ['is lowered at once', 4, [set('1-a', 1, 7, YOUNG)], 4],
    ['is raised at once', 9, [set('1-a', 1, 7, YOUNG)], 9],
    ['is the second that may not be shown', 1, [set('1-a', 1, 6, YOUNG), set('2-a', 6, 7, YOUNG)], null],
    ['is followed by one that is being set', 1, [set('1-a', 1, 7), sizeIntent('a', 7, 8, { id: '2-a' })], null],
    ['is of another group', 1, [set('1-b', 1, 7, OVER, 'b')], null],
  ])('%s', (_, target, intents, to) => {
    expect(given(target, intents)).toEqual(to === null ? null : { from: 7, to });
  });

  it('may be lower by the instances that were ended since', () => {
    const intents = [set('1-a', 1, 7), deletion('i-1', 'i-2')];
    const drains = [drain('i-3', 'Removed', NOW), drain('i-2', 'Terminating', NOW)];
    expect(given(4, intents, drains)).toBeNull();
    expect(given(3, intents, drains)).toEqual({ from: 7, to: 3 });
  });

  it('may be lower by instances that drains may be ending', () => {
    expect(given(6, [set('1-a', 1, 7)], [drain('i-1', 'Evicting', null)])).toBeNull();
  });

  it('is not lower by instances that drains have left alone, or that are counted already', () => {
    const before = { ...set('1-a', 1, 7), drained: [instanceId('i-1')] } as Intent;
    const drains = [drain('i-1', 'Removed', NOW), drain('i-2', 'RolledBack', null), drain('i-3', 'Removed', NOW, 'b')];
    expect(given(7, [before], drains)).toBeNull();
    expect(given(6, [before], drains)).toEqual({ from: 7, to: 6 });
  });
});

describe('a size that was observed last', () => {
  const refused = (attempts: number): Intent => sizeIntent('a', 5, 7, { id: '2-a', status: 'refused', attempts });

  it.each([
    { name: 'is shown', target: 5, to: null },
    { name: 'is lowered', target: 1, to: 1 },
    { name: 'is raised', target: 9, to: 9 },
    { name: 'is being raised', target: 7, intents: [sizeIntent('a', 5, 7, { id: '2-a' })], to: null },
    { name: 'is raised before another one is set, which is refused', target: 6, intents: [refused(1)], to: 6 },
    { name: 'may have been changed by an attempt before', target: 7, intents: [refused(2)], to: null },
    { name: 'is of another group', target: 1, sizes: { b: 5 }, to: null },
    { name: 'is lower by an instance that was ended', target: 4, drains: [drain('i-1', 'Removed', NOW)], to: null },
    { name: 'is shown as before an instance was ended', target: 6, drains: [drain('i-1', 'Removed', NOW)], to: null },
    { name: 'is lower by an instance that is deleted', target: 4, intents: [deletion('i-1')], to: null },
    {
      name: 'is lower by more than the instances that were ended',
      target: 3,
      drains: [drain('i-1', 'Removed', NOW)],
      to: 3,
    },
    {
      name: 'shows the end of an instance already',
      target: 4,
      drains: [drain('i-1', 'Removed', addTime(NOW, minutes(-3)))],
      to: 4,
    },
  ])('$name', ({ target, intents = [], drains = [], sizes = { a: 5 }, to }) => {
    expect(given(target, intents, drains, sizes)).toEqual(to === null ? null : { from: 5, to });
  });
});
