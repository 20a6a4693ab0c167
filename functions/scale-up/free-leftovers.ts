import { drainedNodes, freeing, leftoversOf, MOST_FREED, withFreed } from '@outrigger/core/drain/leftovers.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { seconds } from '@outrigger/core/model/values/time.ts';
import { freeNode } from '../evaluate/free-node.ts';
import type { StoredCluster } from '../evaluate/load.ts';
import type { ClusterRun } from '../shared/services.ts';
import { reportSafely } from './report-safely.ts';

/** Nodes are freed for no longer than this: pods are waiting for the decision. */
const LONGEST = seconds(3);
const WORDS = {
  log: 'had the markers of a removal by a Cluster Autoscaler that has not happened',
  event: 'removed the taints of a removal that Cluster Autoscaler did not finish',
};

/**
 * Frees nodes that a former Cluster Autoscaler has left tainted and cordoned (`leftoversOf`), before anything is decided:
 * pending pods may fit there, and no node is bought for them. A node that cannot be freed is decided on as it is, and tried
 * again by the next evaluation. A dry run changes nothing.
 *
 * @param known what was stored before the cluster was observed: drains, and intents that may start more of them.
 * @returns the scenario with the nodes free that are.
 */
export async function freeLeftovers(
  run: ClusterRun,
  scenario: Scenario,
  known: Pick<StoredCluster, 'drains' | 'intents'>,
): Promise<Scenario> {
  const { services, cluster, signal } = run;
  if (services.dryRun) {
    return scenario;
  }
  const drained = drainedNodes(known.drains, known.intents);
  const started = services.now();
  const freed: Node[] = [];
  const leftovers = reportSafely(
    run,
    'nodes that a Cluster Autoscaler left marked',
    () => leftoversOf(scenario, drained),
    [],
  );
  for (const node of leftovers) {
    if (freed.length === MOST_FREED || services.now() - started > LONGEST) {
      break;
    }
    try {
      const words = { ...WORDS, fields: { taints: node.taints } };
      if (await freeNode(run, node, freeing(node, cluster.options), words)) {
        freed.push(node);
      }
    } catch (error) {
      signal.throwIfAborted();
      services.log.warn(
        `${cluster.name}: nodes that a Cluster Autoscaler left marked are left to the next evaluation`,
        {
          error,
        },
      );
      break;
    }
  }
  return withFreed(scenario, freed);
}
