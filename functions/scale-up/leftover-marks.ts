import { REMOVAL_ANNOTATION, withoutMarks } from '../../core/drain/marks.ts';
import { type Drain, hasEnded } from '../../core/model/drain.ts';
import type { Node } from '../../core/model/node.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Frees nodes that bear the marks of a drain which is in the store no more, or has ended there: a table that was lost
 * or restored leaves such nodes, tainted for ever. Marks of others, Cluster Autoscaler's among them, are left alone, and
 * so are nodes whose machine is on its way out: nothing must be scheduled to those.
 *
 * @param nodes as they were observed before this is called: a drain that marked one of them is in the store by now.
 */
export async function removeLeftoverMarks(
  world: World,
  cluster: Cluster,
  nodes: readonly Node[],
  signal: AbortSignal,
): Promise<void> {
  const marked = nodes.filter(({ annotations }) => REMOVAL_ANNOTATION in annotations);
  if (marked.length === 0) {
    return;
  }
  const drains = await world.drains.list(cluster.name, signal);
  const leaving = new Set(drains.flatMap(({ drain }) => (hasEnded(drain) && stays(drain) ? [] : [drain.node])));
  for (const node of marked) {
    // A drain takes over what another one has left on its node.
    if (!leaving.has(node.name)) {
      const outcome = await cluster.writer.changeNode(node.name, node.uid, withoutMarks(node), signal);
      world.log.warn(`${cluster.name}: node ${node.name} bore the marks of a drain that is not known any more`, {
        drain: node.annotations[REMOVAL_ANNOTATION],
        outcome,
      });
    }
  }
}

const stays = ({ outcome }: Drain): boolean => outcome?.kind === 'rolledBack' && outcome.failure !== 'Gone';
