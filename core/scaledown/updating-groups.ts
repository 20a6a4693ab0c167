import type { Decision } from '../model/decision.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { GroupName } from '../model/values/names.ts';

type Removals = { readonly scaleDown: Pick<Decision['scaleDown'], 'removals'> };

const losing = ({ scaleDown }: Removals): ReadonlySet<GroupName> =>
  new Set(scaleDown.removals.map(({ group }) => group));

/**
 * The groups that would lose a node, and of which it is not known yet whether the cloud is updating them. The cloud answers
 * group by group, so it is not asked about others.
 */
export const groupsToCheck = (decision: Removals, checked: ReadonlySet<GroupName>): ReadonlySet<GroupName> =>
  losing(decision).difference(checked);

/**
 * Would a group lose a node that the cloud is updating? Its new nodes are empty for a while, and EKS relies on them: the
 * decision is made again, and may remove other nodes instead.
 */
export function removesUpdating(decision: Removals, groups: readonly Pick<NodeGroup, 'name' | 'updating'>[]): boolean {
  const names = losing(decision);
  return groups.some(({ name, updating }) => updating && names.has(name));
}
