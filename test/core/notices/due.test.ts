import { describe, expect, it } from 'vitest';
import type { Drain } from '../../../core/model/drain.ts';
import type { RemoveNodesIntent } from '../../../core/model/intent.ts';
import type { Notice } from '../../../core/model/notice.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { openNotices, optionsByGroup, withoutOvertaken } from '../../../core/notices/due.ts';
import { noticeOf, NOW } from '../../scenario-builders.ts';
import { aDrain, GROUP, INSTANCE, NODE } from '../drain/one-node-world.ts';

const hook = { name: 'outrigger', token: 'this one', heartbeatUntil: null };
const notice = (extra: Partial<Notice> = {}): Notice => noticeOf(INSTANCE, GROUP, extra);
const HOOK = notice({ kind: 'LifecycleHook', endsAt: null, hook });
const REBALANCE = notice({ kind: 'RebalanceRecommendation', endsAt: null });
const OF_REBALANCE = { kind: 'RebalanceRecommendation', deadline: addTime(NOW, minutes(60)), hook: null } as const;
const OF_SPOT = { kind: 'SpotInterruption', deadline: addTime(NOW, minutes(2)), hook: null } as const;
const OF_HOOK = { kind: 'LifecycleHook', deadline: addTime(NOW, minutes(15)), hook } as const;
const OF_OTHER = { ...OF_HOOK, hook: { ...hook, token: 'an earlier one' } };

const removed = { phase: 'Removed', outcome: { kind: 'removed', at: NOW } } as const;
const rolledBack = (at: EpochMs) =>
  ({
    phase: 'RolledBack',
    outcome: { kind: 'rolledBack', at, failure: 'NoLongerRemovable', blocker: null, message: '', pod: null },
  }) as const;

const isOpen = (given: Notice, drains: readonly Partial<Drain>[], intents: readonly RemoveNodesIntent[] = []) =>
  openNotices(
    [given],
    {
      drains: drains.map((extra) => ({ drain: aDrain('drain', extra), revision: 1, attempt: 1, drivenUntil: NOW })),
      intents,
    },
    NOW,
  ).length === 1;

describe('something is to be done for a notice', () => {
  it.each<[string, Notice, readonly Partial<Drain>[], boolean]>([
    ['before there is a drain', notice(), [], true],
    ['not when it is over', notice({ endsAt: NOW }), [], false],
    ['not when its drain goes on', notice(), [{ notice: OF_SPOT }], false],
    ['not when its drain has ended', notice(), [{ notice: OF_SPOT, ...removed }], false],
    ['not when the drain was given up just now', notice(), [{ notice: OF_SPOT, ...rolledBack(NOW) }], false],
    [
      'again when it was given up a minute ago',
      notice(),
      [{ notice: OF_SPOT, ...rolledBack(addTime(NOW, seconds(-60))) }],
      true,
    ],
    ['while a drain for another reason goes on', notice(), [{}], true],
    ['not when that one has ended the instance', notice(), [removed], false],
    ['for the hook of an instance that a drain has ended', HOOK, [removed], true],
    ['for the hook of an instance that a drain for a Spot interruption ends', HOOK, [{ notice: OF_SPOT }], true],
    ['not for a hook whose drain goes on', HOOK, [{ notice: OF_HOOK }], false],
    ['not for a hook that was completed', HOOK, [{ notice: OF_HOOK, ...removed }], false],
    ['for another hook than the one that was completed', HOOK, [{ notice: OF_OTHER, ...removed }], true],
    ['while a drain for a recommendation goes on: that one may be held up', notice(), [{ notice: OF_REBALANCE }], true],
    ['not for a recommendation whose node is being removed, whyever', REBALANCE, [{}], false],
    [
      'not for a recommendation whose drain was given up a minute ago',
      REBALANCE,
      [{ notice: OF_REBALANCE, ...rolledBack(addTime(NOW, seconds(-60))) }],
      false,
    ],
    [
      'again for one whose drain was given up ten minutes ago',
      REBALANCE,
      [{ notice: OF_REBALANCE, ...rolledBack(addTime(NOW, minutes(-10))) }],
      true,
    ],
    ['whatever drains of other instances do', notice(), [{ instance: instanceId('i-2'), ...removed }], true],
  ])('%s', (_when, given, drains, expected) => {
    expect(isOpen(given, drains)).toBe(expected);
  });

  it('not when its drain is decided and has not begun', () => {
    const node = { node: NODE, uid: 'uid-n1', instance: INSTANCE, kind: 'drain' as const };
    const intent = (of: typeof OF_SPOT | undefined): RemoveNodesIntent => ({
      kind: 'RemoveNodes',
      id: '1-web',
      group: groupName('web'),
      nodes: [{ ...node, notice: of }],
      createdAt: NOW,
      status: 'pending',
      attempts: 0,
      claimedUntil: null,
      outcome: null,
    });
    expect(isOpen(notice(), [], [intent(OF_SPOT)])).toBe(false);
    expect(isOpen(notice(), [], [intent(undefined)])).toBe(true);
  });
});

describe('a rebalance recommendation', () => {
  it.each([
    ['is answered as the option of the group says', [], 'replace'],
    ['is left to a cloud that replaces the instance itself', ['CapacityRebalance'] as const, 'ignore'],
  ])('%s', (_, cloudActions, expected) => {
    const given = { name: GROUP, options: { rebalanceRecommendation: 'replace' as const }, cloudActions };
    const options = { ...defaultOptions(), rebalanceRecommendation: 'cordon' as const };
    expect(optionsByGroup(options, [given])(GROUP).rebalanceRecommendation).toBe(expected);
    expect(optionsByGroup(options, [given])(groupName('another')).rebalanceRecommendation).toBe('cordon');
  });
});

describe('a removal that a notice overtakes', () => {
  const deletion = { node: NODE, group: GROUP, kind: 'drain' as const, since: NOW };
  const state = { ...EMPTY_STATE, deletionsInProgress: [deletion] };
  const after = (open: readonly Notice[], extra: Partial<Drain> = {}) =>
    withoutOvertaken(state, open, [{ drain: aDrain('drain', extra), revision: 1, attempt: 1, drivenUntil: NOW }], {
      options: defaultOptions(),
      nodeGroups: [],
      now: NOW,
    }).deletionsInProgress;

  it('is one whose instance was not asked to end, and no other', () => {
    expect(after([notice()])).toEqual([]);
    expect(after([notice()], { terminateAskedAt: NOW })).toEqual([deletion]);
    expect(after([])).toEqual([deletion]);
    expect(after([notice({ instance: instanceId('i-2') })])).toEqual([deletion]);
    expect(after([notice({ kind: 'InstanceStopping' })])).toEqual([deletion]);
    expect(after([REBALANCE])).toEqual([deletion]);
  });

  it('is also one whose instance ends already, and waits for a lifecycle hook that its drain does not know of', () => {
    const hook = { name: 'outrigger', token: 'token', heartbeatUntil: null };
    expect(after([notice({ kind: 'LifecycleHook', endsAt: null, hook })], { terminateAskedAt: NOW })).toEqual([]);
    expect(after([notice({ kind: 'LifecycleHook', endsAt: null })], { terminateAskedAt: NOW })).toEqual([deletion]);
  });
});
