import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Notice, NOTICE_KINDS } from '../../../core/model/notice.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { mergedNotice } from '../../../core/notices/merged.ts';

const time = fc.integer({ min: 0, max: 9 }).map(epochMs);

const notices: fc.Arbitrary<Notice> = fc.record({
  instance: fc.constant(instanceId('i-1')),
  group: fc.constant(groupName('spot')),
  kind: fc.constantFrom(...NOTICE_KINDS),
  receivedAt: time,
  endsAt: fc.option(time),
  hook: fc.option(
    fc.record({ name: fc.constantFrom('a', 'b'), token: fc.constantFrom('x', 'y'), heartbeatUntil: fc.option(time) }),
  ),
});

describe('two notices about one instance', () => {
  it('are the same notice whichever came first, and however often', () => {
    fc.assert(
      fc.property(notices, notices, notices, (a, b, c) => {
        expect(mergedNotice(a, b)).toEqual(mergedNotice(b, a));
        expect(mergedNotice(a, mergedNotice(b, c))).toEqual(mergedNotice(mergedNotice(a, b), c));
        expect(mergedNotice(a, a)).toEqual(a);
      }),
    );
  });

  it('leave the more urgent kind, and the earlier end', () => {
    const rebalance: Notice = {
      instance: instanceId('i-1'),
      group: groupName('spot'),
      kind: 'RebalanceRecommendation',
      receivedAt: epochMs(1),
      endsAt: null,
      hook: null,
    };
    const interruption: Notice = { ...rebalance, kind: 'SpotInterruption', receivedAt: epochMs(5), endsAt: epochMs(9) };
    expect(mergedNotice(rebalance, interruption)).toEqual({
      ...interruption,
      receivedAt: epochMs(1),
    });
  });
});
