import { REMOVAL_ANNOTATION, withoutMarkers } from '../../core/drain/removal-markers.ts';
import { type Drain, hasEnded } from '../../core/model/drain.ts';
import { readable } from '../../core/model/fault.ts';
import type { NodeName } from '../../core/model/names.ts';
import type { Node } from '../../core/model/node.ts';
import type { ClusterEvent } from '../../core/model/ports.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Frees nodes that bear the marks of a drain which is in the store no more, or has ended there: a table that was lost
 * or restored leaves such nodes, tainted for ever. Marks of others are left alone (but see `freeLeftovers`), and
 * so are nodes whose machine is on its way out: nothing must be scheduled to those. The cloud says which these are; a
 * lifecycle hook may keep them for longer than their drains are remembered.
 *
 * @param observed before this is called: a drain that marked one of the nodes is in the store by now.
 */
export async function removeLeftoverMarks(
  world: World,
  cluster: Cluster,
  { objects: { nodes }, nodeGroups }: Pick<Scenario, 'objects' | 'nodeGroups'>,
  signal: AbortSignal,
): Promise<void> {
  const marked = nodes.filter((node) => readable(() => REMOVAL_ANNOTATION in node.annotations, false));
  if (marked.length === 0) {
    return;
  }
  const drains = await world.drains.list(cluster.name, signal);
  const leaving = new Set<NodeName>([
    ...drains.flatMap(({ drain }) => (hasEnded(drain) && stays(drain) ? [] : [drain.node])),
    ...nodeGroups.flatMap(({ instances }) =>
      instances.flatMap(({ node, state }) => (state === 'Deleting' ? (node ?? []) : [])),
    ),
  ]);
  for (const node of marked) {
    // A drain takes over what another one has left on its node.
    if (!leaving.has(node.name)) {
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
}

/** The reason is Cluster Autoscaler's. */
const cleanedUp = ({ name, uid }: Node): ClusterEvent => ({
  about: { kind: 'Node', name, uid },
  type: 'Normal',
  reason: 'ClusterAutoscalerCleanup',
  message: 'took off the marks of a removal that is not known any more',
});

const stays = ({ outcome }: Drain): boolean => outcome?.kind === 'rolledBack' && outcome.failure !== 'Gone';
