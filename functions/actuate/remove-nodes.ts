import { isOutdated } from '@outrigger/core/actuation/intent-age.ts';
import { driversOf, forDriver } from '@outrigger/core/drain/drivers.ts';
import { newDrain } from '@outrigger/core/drain/new-drain.ts';
import type { RemoveNodesIntent } from '@outrigger/core/model/intent.ts';
import { pauseText } from '@outrigger/core/words/pause.ts';
import { pauseNow } from '../shared/pauses.ts';
import type { ActuationRun } from '../shared/services.ts';
import { done, type Outcome, refused } from './outcome.ts';

/**
 * Stores a drain for each node, then starts their drivers. A stored drain is driven to its end, even if this process ends
 * now: the schedule finds drains without a driver.
 */
export async function removeNodes(run: ActuationRun, intent: RemoveNodesIntent): Promise<Outcome> {
  const { services, cluster, signal } = run;
  const now = services.now();
  if (isOutdated(intent, now)) {
    return refused('it was decided too long ago');
  }
  const pause = await pauseNow(run, intent);
  if (pause !== null) {
    return refused(pauseText(pause));
  }
  const drains = intent.nodes.map((node) => newDrain(intent, node, now));
  for (const drain of drains) {
    await services.drains.create(cluster.name, forDriver(drain, 1, now), signal);
  }
  for (const ids of driversOf(drains)) {
    await services.startDrains(cluster.name, ids, 1);
  }
  return done('the nodes are being removed');
}
