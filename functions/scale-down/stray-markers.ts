import { REMOVAL_ANNOTATION, withoutMarkers } from '@outrigger/core/drain/removal-markers.ts';
import { markedNodes, strayMarkers } from '@outrigger/core/drain/stray-markers.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { freeNode } from '../evaluate/free-node.ts';
import type { ClusterRun } from '../shared/services.ts';

const WORDS = {
  log: 'had the markers of a drain that is not known any more',
  event: 'removed the taints of an unknown removal',
};

/**
 * Frees nodes with the markers of a drain which is known no more (`strayMarkers`). Those of other autoscalers are left alone
 * (but see `freeLeftovers`).
 *
 * @param observed before this is called: a drain that marked one of the nodes is in the store by now.
 * @returns whether there are nodes with such markers, of a drain that is known or not
 */
export async function removeStrayMarkers(
  run: ClusterRun,
  scenario: Pick<Scenario, 'objects' | 'nodeGroups' | 'now'>,
): Promise<boolean> {
  const { services, cluster, signal } = run;
  if (markedNodes(scenario).length === 0) {
    return false;
  }
  for (const node of strayMarkers(scenario, await services.drains.list(cluster.name, signal))) {
    try {
      const fields = { drain: node.annotations[REMOVAL_ANNOTATION] };
      await freeNode(run, node, withoutMarkers(node), { ...WORDS, fields });
    } catch (error) {
      signal.throwIfAborted();
      services.log.warn(`${cluster.name}: the markers of node ${node.name} are left to the next evaluation`, { error });
    }
  }
  return true;
}
