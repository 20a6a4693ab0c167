import type { Decision } from '../../core/model/decision.ts';
import { readable } from '../../core/model/fault.ts';
import type { Node } from '../../core/model/node.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { softTaintChanges } from '../../core/scaledown/soft-taints.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Brings the soft taints of the cluster's nodes nearer to what was decided, one after another and for no longer than
 * `maxBulkSoftTaintTime`: they are a wish, and the next evaluation goes on. What fails is left to it too; a node that cannot be
 * looked at (its evaluation has told) keeps the taints that it has, and the others get theirs.
 */
export async function updateSoftTaints(
  world: World,
  { name, options, writer }: Cluster,
  { nodeGroups, objects }: Scenario,
  { state }: Decision,
  signal: AbortSignal,
): Promise<void> {
  const ours = new Set(nodeGroups.flatMap((group) => readable(() => group.nodes, [])));
  const nodes = objects.nodes.filter((node) => readable(() => ours.has(node.name), false));
  const changesOf = (some: readonly Node[]) => softTaintChanges(some, state.unneededSince, options);
  const changesFor = (all: readonly Node[]) =>
    readable(() => changesOf(all), null) ??
    changesOf(all.filter((node) => readable(() => changesOf([node]), null) !== null));
  const started = world.now();
  for (const { node, uid, change } of changesFor(nodes)) {
    if (world.now() - started > options.maxBulkSoftTaintTime) {
      return;
    }
    try {
      const outcome = await writer.changeNode(node, uid, change, signal);
      if (outcome.kind === 'failed') {
        world.log.warn(`${name}: the soft taint of node ${node} could not be changed`, { outcome });
      }
    } catch (error) {
      signal.throwIfAborted();
      world.log.warn(`${name}: the soft taint of node ${node} is left to the next evaluation`, { error });
    }
  }
}
