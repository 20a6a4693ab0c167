import { describe, expect, it } from 'vitest';
import type { Notice } from '../../../core/model/notice.ts';
import { defaultOptions, type GroupOptions, type Options } from '../../../core/model/options.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { arePressing } from '../../../core/notices/pressing.ts';
import { noticeOf, NOW } from '../../scenario-builders.ts';

const SPOT = groupName('spot');
const notice = (extra: Partial<Notice> = {}): Notice =>
  noticeOf('i-1', SPOT, {
    kind: 'RebalanceRecommendation',
    receivedAt: addTime(NOW, minutes(-5)),
    endsAt: null,
    ...extra,
  });

const isPressing = (
  given: Notice,
  options: Partial<Options> = {},
  own: Partial<GroupOptions> | null = {},
  drains: Parameters<typeof arePressing>[0]['drains'] = [],
): boolean =>
  arePressing(
    { notices: [given], intents: [], drains },
    { ...defaultOptions(), ...options },
    own === null ? null : [{ name: SPOT, options: own, instances: [{ id: instanceId('i-1'), state: 'Running' }] }],
    NOW,
  );

const tomorrow = addTime(NOW, minutes(24 * 60));
const soon = addTime(NOW, minutes(30));

describe('a cluster is evaluated for a notice', () => {
  it.each<[string, boolean, Notice, Partial<Options>, Partial<GroupOptions> | null]>([
    ['that is answered', true, notice({ kind: 'SpotInterruption', endsAt: soon }), {}, {}],
    ['not when it is ignored', false, notice(), {}, {}],
    ['that its group alone answers', true, notice(), {}, { rebalanceRecommendation: 'replace' }],
    [
      'not when its group alone ignores it',
      false,
      notice(),
      { rebalanceRecommendation: 'replace' },
      { rebalanceRecommendation: 'ignore' },
    ],
    ['not when it is for another day', false, notice({ kind: 'ScheduledChange', endsAt: tomorrow }), {}, {}],
    ['whose day has come', true, notice({ kind: 'ScheduledChange', endsAt: soon }), {}, {}],
    ['to cordon a node', true, notice(), { rebalanceRecommendation: 'cordon' }, {}],
    [
      'not when the node was to be cordoned long ago',
      false,
      notice({ receivedAt: addTime(NOW, minutes(-10)) }),
      { rebalanceRecommendation: 'cordon' },
      {},
    ],
    ['that has just come, while it is not known what its group answers', true, notice({ receivedAt: NOW }), {}, null],
    ['not when that is not known of an older one', false, notice(), {}, null],
    ['not when it is over', false, notice({ kind: 'SpotInterruption', endsAt: NOW }), {}, {}],
  ])('%s', (_when, expected, given, options, own) => {
    expect(isPressing(given, options, own)).toBe(expected);
  });

  it('not when its instance has gone, as that of a hook that was completed', () => {
    const hook = notice({ kind: 'LifecycleHook', hook: { name: 'outrigger', token: 't', heartbeatUntil: null } });
    expect(isPressing(hook)).toBe(true);
    const notices = [{ ...hook, instance: instanceId('i-gone') }];
    const groups = [{ name: SPOT, options: {}, instances: [{ id: instanceId('i-1'), state: 'Running' as const }] }];
    expect(arePressing({ notices, intents: [], drains: [] }, defaultOptions(), groups, NOW)).toBe(false);
  });

  it('and not where there is none', () => {
    expect(arePressing({ intents: [], drains: [] }, defaultOptions(), null, NOW)).toBe(false);
  });
});
