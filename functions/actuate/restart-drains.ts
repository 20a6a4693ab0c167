import { hasEnded } from '../../core/model/drain.ts';
import { addTime } from '../../core/model/values/time.ts';
import type { Cluster, World } from '../shared/world.ts';
import { START } from './remove-nodes.ts';

/** Finds drains whose driver has died, and starts another one for each. Of two that try, one does. */
export async function restartDrains(world: World, cluster: Cluster, signal: AbortSignal): Promise<void> {
  for (const { drain, revision, attempt, drivenUntil } of await world.drains.list(cluster.name, signal)) {
    const now = world.now();
    if (hasEnded(drain) || drivenUntil > now) {
      continue;
    }
    const next = { drain, attempt: attempt + 1, drivenUntil: addTime(now, START) };
    const saved = await world.drains.save(cluster.name, next, revision, signal);
    if (saved !== null && saved !== 'too large') {
      world.log.warn(`${cluster.name}: the drain of node ${drain.node} had lost its driver and is resumed`, {
        drain: drain.id,
        phase: drain.phase,
        attempt: next.attempt,
      });
      world.metrics.count('DrainsRestarted', 1);
      await world.startDrains(cluster.name, [drain.id], next.attempt);
    }
  }
}
