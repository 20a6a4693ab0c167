import type { GroupReport } from '../model/decision.ts';
import type { GroupCounts } from './counts.ts';

/** All groups together. */
export type Totals = Pick<
  GroupReport,
  'registered' | 'ready' | 'unready' | 'notStarted' | 'unregistered' | 'longUnregistered' | 'deleted' | 'suspended'
>;

export function totalsOf(groups: readonly { readonly counts: GroupCounts }[]): Totals {
  const sum = (of: (counts: GroupCounts) => number): number => groups.reduce((all, { counts }) => all + of(counts), 0);
  return {
    registered: sum(({ registered }) => registered),
    ready: sum(({ nodes }) => nodes.Ready.length),
    unready: sum(({ nodes }) => nodes.Unready.length),
    notStarted: sum(({ nodes }) => nodes.NotStarted.length),
    unregistered: sum(({ unregistered }) => unregistered.length),
    longUnregistered: sum(({ longUnregistered }) => longUnregistered.length),
    deleted: sum(({ nodes }) => nodes.Deleted.length),
    suspended: sum(({ nodes }) => nodes.Suspended.length),
  };
}
