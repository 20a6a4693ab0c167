import type { PodReason } from '../model/decision.ts';
import { counted } from '../model/values/counted.ts';
import { byName, type GroupName } from '../model/values/names.ts';

/** Node groups that cannot hold a pod for one reason. */
export interface GroupedReason {
  readonly reason: string;
  /** Sorted; empty where the reason is the pod's own. */
  readonly groups: readonly GroupName[];
}

/** The reasons of a pod, each once: its own first, then those of most groups, then by their text. */
export function groupedReasons(reasons: readonly PodReason[]): readonly GroupedReason[] {
  const byReason = Map.groupBy(reasons, ({ reason }) => reason);
  return [...byReason]
    .map(([reason, same]) => ({
      reason,
      groups: same.flatMap(({ group }) => group ?? []).toSorted(byName),
    }))
    .toSorted((a, b) => rank(a) - rank(b) || byName(a.reason, b.reason));
}

const rank = ({ groups }: GroupedReason): number => (groups.length === 0 ? -Infinity : -groups.length);

/** `12 groups: Insufficient cpu`; of one group, its name; the pod's own reason as it is. */
export const groupedReasonText = ({ reason, groups }: GroupedReason): string =>
  groups.length === 0 ? reason : `${groups.length === 1 ? groups[0] : counted(groups.length, 'group')}: ${reason}`;
