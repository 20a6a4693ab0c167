import type { StoredDrain } from '../model/drain.ts';
import type { PersistedCluster } from '../model/intent.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';
import { isPressing, type NoticeOptions, type OfGroup, openNotices, optionsByGroup } from './due.ts';

/** What came so lately is looked at in full where the options of its node group are not known yet. */
const NEW_FOR = minutes(2);

/**
 * Do notices ask for an evaluation? Asked before anything of the cluster is read: most of those that are remembered are ignored,
 * or for another day.
 *
 * @param groups as a glance shows them; `null`: there was none
 */
export function arePressing(
  {
    notices = [],
    drains,
    intents,
  }: Pick<PersistedCluster, 'notices' | 'intents'> & {
    readonly drains: readonly StoredDrain[];
  },
  options: NoticeOptions,
  groups: readonly OfGroup[] | null,
  now: EpochMs,
): boolean {
  const of = optionsByGroup(options, groups ?? []);
  return openNotices(notices, { drains, intents }, now).some(
    (notice) =>
      isPressing(notice, of(notice.group), now) || (groups === null && addTime(notice.receivedAt, NEW_FOR) > now),
  );
}
