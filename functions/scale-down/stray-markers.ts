import { REMOVAL_ANNOTATION, withoutMarkers } from '../../core/drain/removal-markers.ts';
import { markedNodes, strayMarkers } from '../../core/drain/stray-markers.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import type { ClusterEvent } from '../../core/model/cluster/cluster-event.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Frees nodes that bear the markers of a drain which is known no more (`strayMarkers`). Marks of others are left alone
 * (but see `freeLeftovers`).
 *
 * @param observed before this is called: a drain that marked one of the nodes is in the store by now.
 */
export async function removeStrayMarkers(
  world: World,
  cluster: Cluster,
  scenario: Pick<Scenario, 'objects' | 'nodeGroups'>,
  signal: AbortSignal,
): Promise<void> {
  if (markedNodes(scenario).length === 0) {
    return;
  }
  for (const node of strayMarkers(scenario, await world.drains.list(cluster.name, signal))) {
    try {
      const outcome = await cluster.writer.changeNode(node.name, node.uid, withoutMarkers(node), signal);
      world.log.warn(`${cluster.name}: node ${node.name} bore the marks of a drain that is not known any more`, {
        drain: node.annotations[REMOVAL_ANNOTATION],
        outcome,
      });
      if (outcome.kind === 'done') {
        await cluster.writer.recordEvent(cleanedUp(node), signal);
      }
    } catch (error) {
      signal.throwIfAborted();
      world.log.warn(`${cluster.name}: the marks on node ${node.name} are left to the next evaluation`, { error });
    }
  }
}

/** The reason is Cluster Autoscaler's. */
const cleanedUp = ({ name, uid }: Node): ClusterEvent => ({
  about: { kind: 'Node', name, uid },
  type: 'Normal',
  reason: 'ClusterAutoscalerCleanup',
  message: 'took off the marks of a removal that is not known any more',
});
