import { pauseOfIntent } from '@outrigger/core/actuation/paused-intent.ts';
import type { Intent } from '@outrigger/core/model/intent.ts';
import type { Pause } from '@outrigger/core/model/pause.ts';
import type { ActuationRun, DrainRun } from './services.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/**
 * The pauses that hold a drain back: those in the table, and that of the status ConfigMap.
 *
 * @throws Error when they cannot be read: the drain waits meanwhile.
 */
export async function pausesOfDrains({ services, cluster, signal }: DrainRun): Promise<readonly Pause[]> {
  const [stored, ofCluster] = await Promise.all([
    services.store.pauses(cluster.name, signal),
    cluster.reader.pause?.(signal) ?? null,
  ]);
  return presentItems([...stored, ofCluster]);
}

/** The pause in the table that an intent is refused for, as it is now; `null`: none. */
export const pauseNow = async ({ services, cluster, signal }: ActuationRun, intent: Intent): Promise<Pause | null> =>
  pauseOfIntent(intent, await services.store.pauses(cluster.name, signal), services.now());
