import type { EventBridgeEvent } from 'aws-lambda';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { Surroundings, Work } from '../shared/world.ts';

/**
 * Wakes scale-up when AWS reports something about the cluster's instances: a failed launch, a Spot interruption.
 * The event itself is not used; rejects when the wake-up cannot be sent, and EventBridge tries again.
 */
export function createWake(world: Surroundings, cluster: ClusterName): Work<EventBridgeEvent<string, unknown>, void> {
  return async (event) => {
    world.log.debug(`Woken by ${event['detail-type']}`);
    await world.wake(cluster);
  };
}
