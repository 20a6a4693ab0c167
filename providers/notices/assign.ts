import { byName, type ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Notice } from '@outrigger/core/model/notice.ts';
import type { NoticeInbox } from '@outrigger/core/ports/notice-inbox.ts';
import type { NoticeStore } from '@outrigger/core/ports/notice-store.ts';
import type { Log } from '@outrigger/core/ports/observability.ts';
import type { Terminations } from '@outrigger/core/ports/terminations.ts';
import pMap from 'p-map';
import { getExisting } from '@outrigger/core/model/values/existing.ts';

/** The source and the destinations of notices. */
interface NoticePorts {
  readonly inbox: NoticeInbox;
  readonly store: NoticeStore;
  readonly log: Log;
}

/** The result of storing notices. */
export interface AssignedNotices {
  readonly instances: number;
  readonly added: readonly Notice[];
}

/** Writes to the table at the same time. */
const CONCURRENCY = 10;

/**
 * Stores a notice for each announcement that is about an instance of the cluster, and empties the inbox: with few calls,
 * however many events have arrived. What is about other instances ends here.
 *
 * @returns the number of instances that there are notices of, and the notices that were not stored before
 * @throws when a call fails; nothing is lost then, as the inbox is emptied last
 */
export async function assignNotices(
  { inbox, store, log }: NoticePorts,
  terminations: Pick<Terminations, 'groupsOf'>,
  cluster: ClusterName,
  signal?: AbortSignal,
): Promise<AssignedNotices> {
  const arrived = await inbox.list(cluster, signal);
  const announcements = arrived.flatMap((event) => event.announcements);
  const instances = [...new Set(announcements.map(({ instance }) => instance))].sort(byName);
  if (instances.length === 0) {
    return { instances: 0, added: [] };
  }
  const groups = await terminations.groupsOf(instances, signal);
  const own = announcements
    .filter(({ instance }) => groups.has(instance))
    .map((announcement) => ({ ...announcement, group: getExisting(groups, announcement.instance) }));
  const isNew = await pMap(own, async (notice) => await store.addNotice(cluster, notice, signal), {
    concurrency: CONCURRENCY,
  });
  await inbox.remove(
    cluster,
    arrived.map(({ id }) => id),
    signal,
  );
  log.debug(`${groups.size} of ${instances.length} instances with notices are the cluster’s`);
  return { instances: groups.size, added: own.filter((_, index) => isNew[index]) };
}
