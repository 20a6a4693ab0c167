import { isDaemon, isFinished } from '@outrigger/core/model/cluster/pod.ts';
import { getOptional } from '@outrigger/core/model/values/optional.ts';
import { isSimulatedNodeReady } from '../cluster/node-readiness.ts';
import type { SimulatedWorld } from '../world.ts';

/** All pods are running or finished, and every node group has as many ready nodes as its target size. */
export function hasComeToRest({ api, scaling, controllers }: SimulatedWorld): boolean {
  for (const pod of api.pods.values()) {
    if (!isDaemon(pod) && !isFinished(pod) && (pod.phase !== 'Running' || controllers.runsFor(pod) !== null)) {
      return false;
    }
  }
  return (
    !controllers.isBusy() &&
    scaling
      .groups()
      .every(
        ({ desired, instances }) =>
          instances.length === desired &&
          instances.every(({ node }) => isSimulatedNodeReady(getOptional(api.nodes, node))),
      )
  );
}

/** Some running pod will finish. */
export const hasJobs = ({ api, controllers }: SimulatedWorld): boolean =>
  [...api.pods.values()].some((pod) => pod.phase === 'Running' && controllers.runsFor(pod) !== null);
