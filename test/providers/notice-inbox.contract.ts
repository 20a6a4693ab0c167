import { describe, expect, it } from 'vitest';
import { instanceId } from '../../core/model/values/names.ts';
import type { ArrivedEvent, NoticeInbox } from '../../core/ports/notice-inbox.ts';
import { after, freshCluster, NOON } from './state-store.contract.ts';

const eventOf = (id: string, instances = 1): ArrivedEvent => ({
  id,
  announcements: Array.from({ length: instances }, (_, n) => ({
    instance: instanceId(`i-${String(n).padStart(17, '0')}`),
    kind: 'LifecycleHook',
    receivedAt: NOON,
    endsAt: n % 2 === 0 ? null : after(n),
    hook: { name: 'outrigger', token: id, heartbeatUntil: null },
  })),
});

/** The law of an inbox. */
export function noticeInboxContract(open: () => NoticeInbox): void {
  describe('an inbox', () => {
    it('has what has arrived, by id, until it is removed', async () => {
      const cluster = freshCluster();
      const inbox = open();
      for (const id of ['c', 'a', 'b']) {
        await inbox.add(cluster, eventOf(id));
      }
      expect(await inbox.list(cluster)).toEqual(['a', 'b', 'c'].map((id) => eventOf(id)));
      await inbox.remove(cluster, ['a', 'c', 'never-was']);
      expect(await inbox.list(cluster)).toEqual([eventOf('b')]);
      expect(await inbox.list(freshCluster())).toEqual([]);
    });

    it('has an event once that is delivered twice', async () => {
      const cluster = freshCluster();
      const inbox = open();
      await inbox.add(cluster, eventOf('a'));
      await inbox.add(cluster, eventOf('a'));
      expect(await inbox.list(cluster)).toEqual([eventOf('a')]);
    });

    it('takes an event about 5,000 instances', async () => {
      const cluster = freshCluster();
      const inbox = open();
      await inbox.add(cluster, eventOf('a', 5_000));
      expect(await inbox.list(cluster)).toEqual([eventOf('a', 5_000)]);
    });
  });
}
