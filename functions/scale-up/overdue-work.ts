import { overdueWork } from '@outrigger/core/wakeups/overdue-work.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { overdueWorkText } from '@outrigger/core/words/overdue-work.ts';
import type { StoredCluster } from '../evaluate/load.ts';
import type { ClusterRun } from '../shared/services.ts';

/** Raises the alarm about what the other functions have not done in time; the log says what, and where to look. */
export function reportOverdueWork(
  { services, cluster: { name, options } }: ClusterRun,
  known: StoredCluster,
  now: EpochMs,
): void {
  const { log, metrics, dryRun, scanInterval } = services;
  // The intents and drains of another deployment are not a dry run's.
  const own = dryRun ? { ...known, intents: [], drains: [] } : known;
  const late = overdueWork(own, options, scanInterval, now);
  metrics.count('NeedsCorrection', late.length);
  for (const one of late) {
    log.error(`${name}: ${overdueWorkText(one)}`, { ...one });
  }
}
