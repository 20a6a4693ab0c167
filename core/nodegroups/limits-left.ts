import type { Scenario } from '../model/scenario.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { GroupName } from '../model/values/names.ts';
import type { Registry } from '../registry/registry.ts';
import { countedNode, countedOn, type GroupTemplate } from './node-templates.ts';
import { type ClusterLimits, clusterLimits } from './resource-quotas.ts';

/**
 * The part of the cluster's limits that these nodes, and further instances that the groups' targets count, leave: an
 * instance whose launch has failed may come as long as the cloud is asked for it, and one that has ended is replaced by
 * its group.
 */
export function limitsLeft(
  scenario: Scenario,
  { groups }: Pick<Registry, 'groups'>,
  nodes: readonly (NodeInfo | null)[],
  templates: ReadonlyMap<GroupName, GroupTemplate>,
): ClusterLimits {
  const limits = clusterLimits(countedOn(nodes, templates), scenario);
  for (const [name, { mayCome }] of groups) {
    const template = mayCome > 0 ? templates.get(name) : undefined;
    if (template === undefined) {
      continue;
    }
    for (let n = 0; n < mayCome; n++) {
      limits.add(countedNode(template));
    }
  }
  return limits;
}
