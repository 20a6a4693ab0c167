import { pauseOfIntent } from '@outrigger/core/actuation/paused-intent.ts';
import type { Intent } from '@outrigger/core/model/intent.ts';
import type { Pause } from '@outrigger/core/model/pause.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Cluster, World } from './world.ts';

/**
 * The pauses that hold a drain back: those in the table, and that of the status ConfigMap.
 *
 * @throws Error when they cannot be read: the drain waits meanwhile.
 */
export async function pausesOfDrains(
  { store }: Pick<World, 'store'>,
  { name, reader }: Pick<Cluster, 'name' | 'reader'>,
  signal: AbortSignal,
): Promise<readonly Pause[]> {
  const [stored, ofCluster] = await Promise.all([store.pauses(name, signal), reader.pause?.(signal) ?? null]);
  return ofCluster === null ? stored : [...stored, ofCluster];
}

/** The pause in the table that an intent is refused for, as it is now; `null`: none. */
export const pauseNow = async (
  { store, now }: Pick<World, 'store' | 'now'>,
  cluster: ClusterName,
  intent: Intent,
  signal: AbortSignal,
): Promise<Pause | null> => pauseOfIntent(intent, await store.pauses(cluster, signal), now());
