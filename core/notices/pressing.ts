import type { GroupSummary } from '../model/cluster-summary.ts';
import type { StoredDrain } from '../model/drain.ts';
import type { PersistedCluster } from '../model/intent.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';
import { mayHaveReturned } from '../model/returned-instance.ts';
import { heldInstances } from '../model/node-group.ts';
import { isPressing, type NoticeOptions, openNotices, optionsByGroup } from './due.ts';

/** Notices younger than this are evaluated in full if the node groups are unknown. */
const NEW_FOR = minutes(2);

/**
 * Do notices ask for an evaluation? Asked before anything of the cluster is read: most stored notices are ignored, for
 * another day, or about an instance that is gone.
 *
 * @param groups as a change check shows them; `null`: no change check was taken, and a scan with a change check will come
 */
export function arePressing(
  {
    notices = [],
    drains,
    intents,
  }: Pick<PersistedCluster, 'notices' | 'intents'> & { readonly drains: readonly StoredDrain[] },
  options: NoticeOptions,
  groups: readonly Pick<GroupSummary, 'name' | 'options' | 'cloudActions' | 'instances'>[] | null,
  now: EpochMs,
): boolean {
  if (notices.length === 0) {
    return false;
  }
  const held = groups && new Set(groups.flatMap((group) => heldInstances(group).map(({ id }) => id)));
  // A notice about an instance that was started again is not settled by the drain that ended the instance before.
  const settling = drains.filter(
    (stored) => !(mayHaveReturned(stored, now) && (held === null || held.has(stored.drain.instance))),
  );
  const open = openNotices(notices, { drains: settling, intents }, now);
  if (open.length === 0 || groups === null) {
    const ofOpen = new Set(open.map(({ instance }) => instance));
    return notices.some(({ instance, receivedAt }) => ofOpen.has(instance) && addTime(receivedAt, NEW_FOR) > now);
  }
  const of = optionsByGroup(options, groups);
  const there = new Set(groups.flatMap(({ instances }) => instances.map(({ id }) => id)));
  return open.some((notice) => there.has(notice.instance) && isPressing(notice, of(notice.group), now));
}
