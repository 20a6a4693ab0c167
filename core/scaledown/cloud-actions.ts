import type { Decision } from '../model/decision.ts';
import { hasCloudAction, isUpdating } from '../model/cloud-action.ts';
import type { GroupName } from '../model/values/names.ts';
import type { Scenario } from '../model/scenario.ts';

type RemovalDecision = { readonly scaleDown: Pick<Decision['scaleDown'], 'removals' | 'disruptions'> };
type Groups = Pick<Scenario, 'nodeGroups'>;

const losing = ({ scaleDown }: RemovalDecision): ReadonlySet<GroupName> =>
  new Set(scaleDown.removals.map(({ group }) => group));

/** Groups of nodes that are replaced because they are unhealthy. */
function repaired(
  { scaleDown: { disruptions = [] } }: RemovalDecision,
  { nodeGroups }: Groups,
): ReadonlySet<GroupName> {
  const unhealthy = disruptions.filter(({ reason }) => reason === 'Unhealthy');
  const nodes = new Set(unhealthy.flatMap((one) => one.nodes));
  const groups = nodeGroups.filter((group) => group.nodes.some((node) => nodes.has(node)));
  return new Set(groups.map(({ name }) => name));
}

/**
 * The groups that would lose a node or have one repaired, and that the cloud was not asked about yet. The cloud answers
 * group by group, so other groups are not asked about.
 */
export const groupsToCheck = (
  decision: RemovalDecision,
  groups: Groups,
  checked: ReadonlySet<GroupName>,
): ReadonlySet<GroupName> => losing(decision).union(repaired(decision, groups)).difference(checked);

/**
 * Would a group lose a node that the cloud is updating, or have one repaired that the cloud repairs? New nodes are empty for a while,
 * and EKS relies on them; and it reboots what would be replaced. The decision is made again, and may remove other nodes instead.
 */
export function conflictsWithCloud(decision: RemovalDecision, { nodeGroups }: Groups): boolean {
  const [losingNodes, repairing] = [losing(decision), repaired(decision, { nodeGroups })];
  return nodeGroups.some(
    (group) =>
      (isUpdating(group) && losingNodes.has(group.name)) ||
      (hasCloudAction(group, 'NodeRepair') && repairing.has(group.name)),
  );
}
