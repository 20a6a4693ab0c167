import type { GroupName } from '../../model/values/names.ts';
import { valueOf } from '../../model/values/records.ts';
import type { State } from '../../model/state.ts';
import type { EpochMs } from '../../model/values/time.ts';

/**
 * Since when each group's instances have been awaited. A group whose errors were seen, but whose request is over, is
 * asked about until its target has come down: its last scale-up is what failed.
 */
export function awaitedSince({ scaleUpRequests, seenErrors, groups }: State): ReadonlyMap<GroupName, EpochMs> {
  const since = new Map<GroupName, EpochMs>();
  for (const group of Object.keys(seenErrors) as GroupName[]) {
    const last = valueOf(groups, group)?.lastScaleUp ?? null;
    if (last !== null) {
      since.set(group, last);
    }
  }
  for (const { group, time } of scaleUpRequests) {
    since.set(group, time);
  }
  return since;
}
