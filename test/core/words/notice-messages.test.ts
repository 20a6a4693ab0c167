import { describe, expect, it } from 'vitest';
import type { Notice } from '../../../core/model/notice.ts';
import { clusterName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { noticeMessages } from '../../../core/words/notice-messages.ts';
import { noticeOf } from '../../scenario-builders.ts';

const CLUSTER = clusterName('web');
const NOW = epochMs(Date.UTC(2026, 0, 1, 12));

describe('the messages of notices', () => {
  const notice = (extra: Partial<Notice>): Notice => noticeOf('i-1', 'spot', extra);

  it('tell what is announced of an instance, and when it ends', () => {
    expect(noticeMessages(CLUSTER, [notice({})], NOW)).toEqual([
      {
        kind: 'Interruption',
        id: 'web/i-1/SpotInterruption/2026-01-01T12:02:00Z',
        cluster: 'web',
        time: NOW,
        text: 'Instance i-1 of node group spot: Spot interruption, ends at 2026-01-01T12:02:00Z',
        reason: 'SpotInterruption',
        group: 'spot',
        instance: 'i-1',
      },
    ]);
  });

  it('tell nothing of terminations as they are every day', () => {
    const daily = [notice({ kind: 'InstanceStopping' }), notice({ kind: 'LifecycleHook', endsAt: null })];
    expect(noticeMessages(CLUSTER, daily, NOW)).toEqual([]);
  });
});
