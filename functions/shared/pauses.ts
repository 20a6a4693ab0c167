import type { Pause } from '../../core/model/pause.ts';
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
