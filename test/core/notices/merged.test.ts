import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Notice, NOTICE_KINDS, type TerminationHook } from '../../../core/model/notice.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { distinct } from '../../../core/notices/distinct.ts';
import { mergedNotices } from '../../../core/notices/merged.ts';
import { noticeOf, NOW } from '../../scenario-builders.ts';

/** Some are minutes apart, some a day. */
const time = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 })).map(([day, minute]) => {
  return epochMs(day * minutes(24 * 60) + minute * minutes(6));
});

const notices: fc.Arbitrary<Notice> = fc.record({
  instance: fc.constantFrom(instanceId('i-1'), instanceId('i-2')),
  group: fc.constant(groupName('spot')),
  kind: fc.constantFrom(...NOTICE_KINDS),
  receivedAt: time,
  endsAt: fc.option(time),
  hook: fc.option(
    fc.record(
      {
        name: fc.constantFrom('a', 'b'),
        token: fc.constantFrom('x', 'y'),
        heartbeatUntil: fc.option(time),
        waitsSince: time,
      },
      { requiredKeys: ['name', 'token', 'heartbeatUntil'] },
    ),
  ),
});

const noticesOrCloses = fc
  .tuple(notices, fc.constantFrom(true, undefined))
  .map(([notice, isClosed]): Notice => (notice.kind === 'ScheduledChange' ? { ...notice, isClosed } : notice));

const some = fc.array(noticesOrCloses, { maxLength: 6 });

describe('notices about one instance', () => {
  it('are the same notice whichever came first, and however often', () => {
    fc.assert(
      fc.property(
        some.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: 0 }))),
        ([all, again]) => {
          const merged = mergedNotices(all);
          expect(mergedNotices([...again, ...all])).toEqual(merged);
          expect(mergedNotices(all.toReversed())).toEqual(merged);
          expect(mergedNotices(merged)).toEqual(merged);
          const instances = merged.map(({ instance }) => instance);
          expect(instances).toEqual([...new Set(instances)].toSorted());
          const others = all.filter(({ kind }) => kind !== 'ScheduledChange').map(({ instance }) => instance);
          expect(instances).toEqual(expect.arrayContaining(others));
        },
      ),
    );
  });

  it('are kept each once, in the same order, in whatever parts they come', () => {
    fc.assert(
      fc.property(some, some, some, (a, b, c) => {
        const all = distinct([...a, ...b, ...c]);
        expect(distinct([...distinct([...a, ...b]), ...c])).toEqual(all);
        expect(distinct([...a, ...distinct([...b, ...c])])).toEqual(all);
        expect(distinct([...c, ...a, ...b])).toEqual(all);
        expect(distinct([...all, ...all])).toEqual(all);
        expect(mergedNotices(all)).toEqual(mergedNotices([...a, ...b, ...c]));
      }),
    );
  });
});

const REBALANCE: Notice = noticeOf('i-1', 'spot', {
  kind: 'RebalanceRecommendation',
  receivedAt: epochMs(1),
  endsAt: null,
});

const HOOK: TerminationHook = { name: 'outrigger', token: 'b', heartbeatUntil: null };
const SECOND = { ...HOOK, token: 'a' };
const after = (many: number) => addTime(NOW, minutes(many));
/** Its event comes a few seconds after the instance has begun to wait. */
const waiting = (hook: TerminationHook, since: number, extra: Partial<Notice> = {}): Notice => ({
  ...REBALANCE,
  kind: 'LifecycleHook',
  receivedAt: epochMs(after(since) + 3_000),
  hook: { ...hook, waitsSince: after(since) },
  ...extra,
});
const stopped = (at: number): Notice => ({
  ...REBALANCE,
  kind: 'InstanceStopping',
  receivedAt: epochMs(after(at) + 3_000),
  endsAt: after(at),
});

const one = (...all: readonly Notice[]): Notice => {
  const [merged, ...others] = mergedNotices(all);
  expect(others).toEqual([]);
  return merged!;
};

describe('what is known of an instance', () => {
  it('is the more urgent kind, and the earlier end', () => {
    const interruption: Notice = { ...REBALANCE, kind: 'SpotInterruption', receivedAt: epochMs(5), endsAt: epochMs(9) };
    expect(one(REBALANCE, interruption)).toEqual({ ...interruption, receivedAt: epochMs(1) });
  });

  it('is no scheduled change that was called off since, and any other notice all the same', () => {
    const change: Notice = { ...REBALANCE, kind: 'ScheduledChange', receivedAt: after(0), endsAt: after(999) };
    const closed: Notice = { ...change, receivedAt: after(5), isClosed: true };
    const again: Notice = { ...change, receivedAt: after(9), endsAt: after(1_999) };
    expect(mergedNotices([closed, change])).toEqual([]);
    expect(one(change, closed, again)).toEqual(again);
    expect(one(change, closed, REBALANCE)).toEqual(REBALANCE);
  });

  it('is the hook that waits since the latest time, whatever its token', () => {
    expect(one(waiting(HOOK, 0), waiting(SECOND, 60))).toEqual(waiting(SECOND, 60));
    expect(one(waiting(SECOND, 0), waiting(HOOK, 60))).toEqual(waiting(HOOK, 60));
  });

  it('is that hook also where the event of an earlier one comes again, or only then', () => {
    const late = waiting(SECOND, 0, { receivedAt: after(90) });
    expect(one(waiting(HOOK, 60), late)).toEqual(waiting(HOOK, 60));
  });

  it('is a hook of which the time is known, where an older version has stored another one without', () => {
    const older = { ...waiting(SECOND, 0), hook: SECOND };
    expect(one(older, waiting(HOOK, 60))).toEqual(waiting(HOOK, 60));
    expect(one(older, { ...older, hook: HOOK }).hook).toEqual(SECOND);
  });

  it('is the end that it comes to now, and not one that it came back from', () => {
    expect(one(waiting(HOOK, 0), stopped(2), waiting(SECOND, 60))).toEqual(waiting(SECOND, 60));
    expect(one(waiting(HOOK, 0), stopped(2), waiting(SECOND, 60), stopped(62))).toEqual({
      ...stopped(62),
      receivedAt: waiting(SECOND, 60).receivedAt,
      hook: waiting(SECOND, 60).hook,
    });
    expect(one(stopped(2), stopped(62))).toEqual(stopped(62));
  });

  it('is not what was over when its hook began to wait', () => {
    const interruption: Notice = { ...REBALANCE, kind: 'SpotInterruption', receivedAt: after(0), endsAt: after(2) };
    expect(one(interruption, waiting(HOOK, 60))).toEqual(waiting(HOOK, 60));
    expect(one(interruption, waiting(HOOK, 1))).toMatchObject({ kind: 'LifecycleHook', endsAt: after(2) });
  });
});
