/**
 * An action that the cloud takes by itself on the nodes of a group:
 *
 * - `Updating`: EKS updates the managed node group, or Cluster API rolls the resource out: surplus nodes are ended, and drained,
 *   without Outrigger. Or a Machine of the group is paused, and would stay
 * - `InstanceRefresh`: Auto Scaling replaces the instances of the group
 * - `NodeRepair`: EKS replaces or reboots unhealthy nodes
 * - `CapacityRebalance`: Auto Scaling replaces Spot instances at a rebalance recommendation
 * - `MaxInstanceLifetime`: Auto Scaling replaces instances of an age
 * - `ZonesRebalanced`: Auto Scaling ends instances that are not drained, to even the zones out (its process `AZRebalance`)
 * - `InstancesRetained`: instances have stayed when their termination was abandoned; nothing counts or ends them
 */
export const CLOUD_ACTIONS = [
  'Updating',
  'InstanceRefresh',
  'NodeRepair',
  'CapacityRebalance',
  'MaxInstanceLifetime',
  'ZonesRebalanced',
  'InstancesRetained',
] as const;
export type CloudAction = (typeof CLOUD_ACTIONS)[number];

export interface WithCloudActions {
  /** Absent where there are none. */
  readonly cloudActions?: readonly CloudAction[] | undefined;
}

export const hasCloudAction = ({ cloudActions = [] }: WithCloudActions, action: CloudAction): boolean =>
  cloudActions.includes(action);

/** Is the cloud replacing the nodes of the group? None of them is removed meanwhile. */
export const isUpdating = (group: WithCloudActions): boolean =>
  hasCloudAction(group, 'Updating') || hasCloudAction(group, 'InstanceRefresh');

/** The actions that are under way, in order. */
export const actionsUnderWay = (underWay: Readonly<Partial<Record<CloudAction, boolean>>>): readonly CloudAction[] =>
  CLOUD_ACTIONS.filter((action) => underWay[action] === true);

/** The group with actions beside those that it has, each once and in order. */
export function withActions<Group extends object>(
  group: Group & WithCloudActions,
  actions: readonly CloudAction[],
): Group & WithCloudActions {
  const { cloudActions = [] } = group;
  const all = CLOUD_ACTIONS.filter((one) => cloudActions.includes(one) || actions.includes(one));
  return all.length === cloudActions.length ? group : { ...group, cloudActions: all };
}
