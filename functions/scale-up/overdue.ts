import { overdue } from '@outrigger/core/wakeups/overdue.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { overdueText } from '@outrigger/core/words/overdue.ts';
import type { Known } from '../evaluate/load.ts';
import type { ClusterRun } from '../shared/world.ts';

/** Raises the alarm about what the other functions have not done in time; the log says what, and where to look. */
export function reportOverdue({ world, cluster: { name, options } }: ClusterRun, known: Known, now: EpochMs): void {
  const { log, metrics, dryRun, scanInterval } = world;
  // The intents and drains of another deployment are not a dry run's.
  const own = dryRun ? { ...known, intents: [], drains: [] } : known;
  const late = overdue(own, options, scanInterval, now);
  metrics.count('NeedsCorrection', late.length);
  for (const one of late) {
    log.error(`${name}: ${overdueText(one)}`, { ...one });
  }
}
