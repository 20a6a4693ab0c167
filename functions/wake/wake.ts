import type { EventBridgeEvent } from 'aws-lambda';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { Surroundings, Work } from '../shared/world.ts';

/**
 * Something has happened to the cluster's machines (a launch failed, a Spot instance is to go): have a look.
 * The event itself is not used; rejects when the wake-up cannot be sent, and EventBridge tries again.
 */
export function createWake(world: Surroundings, cluster: ClusterName): Work<EventBridgeEvent<string, unknown>, void> {
  return async (event) => {
    world.log.debug(`Woken by ${event['detail-type']}`);
    await world.wake(cluster);
  };
}
