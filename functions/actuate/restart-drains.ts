import { forDriver, isWithoutDriver } from '@outrigger/core/drain/drivers.ts';
import type { ActuationRun } from '../shared/services.ts';

/** Starts another driver for each drain whose driver has died. Of two concurrent runs, one succeeds. */
export async function restartDrains({ services, cluster, signal }: ActuationRun): Promise<void> {
  for (const stored of await services.drains.list(cluster.name, signal)) {
    const now = services.now();
    if (!isWithoutDriver(stored, now)) {
      continue;
    }
    const { drain, revision } = stored;
    const attempt = stored.attempt + 1;
    const saved = await services.drains.save(cluster.name, forDriver(drain, attempt, now), revision, signal);
    if (saved !== null && saved !== 'too large') {
      const { id, node, phase } = drain;
      services.log.warn(`${cluster.name}: the drain of node ${node} had lost its driver and is resumed`, {
        drain: id,
        phase,
        attempt,
      });
      services.metrics.count('DrainsRestarted', 1);
      await services.startDrains(cluster.name, [id], attempt);
    }
  }
}
