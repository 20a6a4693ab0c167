import { hasEnded, type StoredDrain } from '../model/drain.ts';
import type { Intent, PersistedCluster } from '../model/intent.ts';
import type { OverdueWork } from '../model/overdue-work.ts';
import type { State } from '../model/state.ts';
import type { Options } from '../model/options.ts';
import { type DurationMs, type EpochMs, minutes } from '../model/values/time.ts';
import { withLostScans } from './lost-scans.ts';
import { presentItems } from '../model/values/optional.ts';

/** Scale-down is evaluated at each scan, and writes so at least once in `idleEvaluationInterval`. */
const SCALE_DOWN_SILENT = minutes(10);
/** Commits of a new deployment by which scale-down must have been evaluated, where nothing says that they came at once. */
const FIRST_COMMITS = 10;
/** In a burst of pods there are two commits a second, and scale-down is first evaluated at the next scan. */
const COMMITS_OF_A_BURST = 300;
/** An intent is claimed within a second. A claim lasts two minutes, and what it leaves is taken up a minute later. */
const INTENT_WAITS = minutes(5);
/** A driver renews its lease every minute or so, and a drain without one is given another a minute later. */
const DRAIN_STALLS = minutes(5);
/** Number of drivers that a drain goes through where they die again and again. */
const MANY_DRIVERS = 4;

/** All scale-ups that are known are so young that scale-down may have had no scan since the first. */
const isInFirstBurst = ({ scaleUpRequests }: State, scanInterval: DurationMs, now: EpochMs): boolean =>
  scaleUpRequests.length > 0 && scaleUpRequests.every(({ time }) => now - time <= 2 * scanInterval);

/**
 * Work that the other functions have not done in time: the sign that one of them fails, is not started, or lacks a
 * permission. Scale-up looks for such work, so that one alarm covers all functions; the queue tells of scale-up itself.
 *
 * @param scanInterval time between evaluations that no event causes
 */
export function overdueWork(
  {
    version,
    state,
    intents,
    drains,
  }: Pick<PersistedCluster, 'version' | 'state' | 'intents'> & { readonly drains: readonly StoredDrain[] },
  { idleEvaluationInterval }: Pick<Options, 'idleEvaluationInterval'>,
  scanInterval: DurationMs,
  now: EpochMs,
): readonly OverdueWork[] {
  const { lastEvaluation: last } = state;
  const silent = idleEvaluationInterval + withLostScans(SCALE_DOWN_SILENT, scanInterval);
  const commits = isInFirstBurst(state, scanInterval, now) ? COMMITS_OF_A_BURST : FIRST_COMMITS;
  const isSilent = last === null ? version >= commits : now - last > silent;
  const waits = ({ status, createdAt }: Intent): boolean => status === 'pending' && now - createdAt > INTENT_WAITS;
  const stalls = ({ drain, attempt, drivenUntil }: StoredDrain): boolean =>
    !hasEnded(drain) && (attempt >= MANY_DRIVERS || now - drivenUntil > DRAIN_STALLS);
  return presentItems([
    isSilent && ({ kind: 'ScaleDownSilent', since: last } as const),
    ...intents.filter(waits).map(({ group, createdAt: since }) => ({ kind: 'IntentWaits', since, group }) as const),
    ...drains
      .filter(stalls)
      .map(({ drain: { node, createdAt: since } }) => ({ kind: 'DrainStalls', since, node }) as const),
  ]);
}
