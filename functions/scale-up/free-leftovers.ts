import { drainedNodes, freeing, leftoversOf, MOST_FREED, withFreed } from '../../core/drain/leftovers.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import type { ClusterEvent } from '../../core/model/cluster/cluster-event.ts';
import type { Intent } from '../../core/model/intent.ts';
import type { StoredDrain } from '../../core/model/drain.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { seconds } from '../../core/model/values/time.ts';
import type { Cluster, World } from '../shared/world.ts';

/** Nodes are freed for no longer than this: pods are waiting for the decision. */
const LONGEST = seconds(3);

/**
 * Frees nodes that a Cluster Autoscaler which is no more has left tainted and cordoned (`leftoversOf`), before anything is
 * decided: pods that wait may find their place there, and no node is bought for them. What cannot be freed is decided on as
 * it is, and tried again by the next evaluation. A dry run changes nothing.
 *
 * @param known what was stored before the cluster was observed: drains, and intents that may start more of them.
 * @returns the scenario with the nodes free that are.
 */
export async function freeLeftovers(
  world: World,
  { name, writer, options }: Cluster,
  scenario: Scenario,
  known: { readonly drains: readonly StoredDrain[]; readonly intents: readonly Intent[] },
  signal: AbortSignal,
): Promise<Scenario> {
  if (world.dryRun) {
    return scenario;
  }
  const drained = drainedNodes(known.drains, known.intents);
  const found = (look: () => readonly Node[]): readonly Node[] => {
    try {
      return look();
    } catch (error) {
      // The evaluation tells which object it is, and goes on without that.
      world.log.error(`${name}: nodes that a Cluster Autoscaler left marked could not be looked for`, { error });
      return [];
    }
  };
  const started = world.now();
  const freed: Node[] = [];
  for (const node of found(() => leftoversOf(scenario, drained))) {
    if (freed.length === MOST_FREED || world.now() - started > LONGEST) {
      break;
    }
    try {
      const outcome = await writer.changeNode(node.name, node.uid, freeing(node, options), signal);
      world.log.warn(`${name}: node ${node.name} bore the marks of a Cluster Autoscaler that removes it no more`, {
        taints: node.taints,
        outcome,
      });
      if (outcome.kind === 'done') {
        freed.push(node);
        await writer.recordEvent(cleanedUp(node), signal);
      }
    } catch (error) {
      signal.throwIfAborted();
      world.log.warn(`${name}: nodes that a Cluster Autoscaler left marked are left to the next evaluation`, { error });
      break;
    }
  }
  return withFreed(scenario, freed);
}

/** The reason is Cluster Autoscaler's. */
const cleanedUp = ({ name, uid }: Node): ClusterEvent => ({
  about: { kind: 'Node', name, uid },
  type: 'Normal',
  reason: 'ClusterAutoscalerCleanup',
  message: 'took off the marks of a removal by a Cluster Autoscaler that has not happened',
});
