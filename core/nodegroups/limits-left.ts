import { providersIn } from '../model/provider.ts';
import type { Scenario } from '../model/scenario.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { GroupName } from '../model/values/names.ts';
import type { Registry } from '../registry/registry.ts';
import { countedShapes, type GroupTemplate, shapesOn } from './node-templates.ts';
import { type ClusterLimits, clusterLimits } from './resource-quotas.ts';

/**
 * What the limits of the cluster leave beside these nodes, and beside what the groups' targets count until they are lowered:
 * an instance whose launch has failed may come as long as the cloud is asked for it, and the target then stays as it is.
 */
export function limitsLeft(
  scenario: Scenario,
  { groups }: Pick<Registry, 'groups'>,
  nodes: readonly (NodeInfo | null)[],
  templates: ReadonlyMap<GroupName, GroupTemplate>,
): ClusterLimits {
  const limits = clusterLimits(shapesOn(nodes, templates), scenario.options, providersIn(scenario));
  for (const [name, { beingLowered }] of groups) {
    const template = beingLowered > 0 ? templates.get(name) : undefined;
    if (template === undefined) {
      continue;
    }
    for (let n = 0; n < beingLowered; n++) {
      limits.add(countedShapes(template));
    }
  }
  return limits;
}
