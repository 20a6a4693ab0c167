import type { Options } from '../../core/model/options.ts';
import { CPU, MEMORY } from '../../core/model/values/resources.ts';
import type { GroupView } from '../../simulation/cloud/group-view.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import { isWholeGroup } from './whole-groups.ts';

type Limits = Pick<Options, 'maxNodesTotal' | 'coresTotal' | 'memoryTotal' | 'maxCostPerHour' | 'prices'>;

export const coresOf = ({ capacity }: Pick<SimulatedScalingGroup, 'capacity'>): number => capacity[CPU]! / 1_000;
export const gibOf = ({ capacity }: SimulatedScalingGroup): number => capacity[MEMORY]! / 2 ** 30;

/** Runs without a price, as those of resources of Cluster API, have no limit of the cost, and drawn prices are for all nodes of a type then. */
export const priceOf = ({ instanceType, price }: SimulatedScalingGroup, { prices }: Pick<Options, 'prices'>): number =>
  prices.find(({ type }) => type === instanceType)?.price ?? price ?? 0;

/** Sums of decimal fractions differ by their order. */
const TOLERANCE = 1e-9;

type Sized = Pick<GroupView, 'group' | 'desired'>;

/** Do groups of these sizes stay within the limits of the cluster? */
export function areWithinLimits(
  sizes: readonly Sized[],
  { maxNodesTotal, coresTotal, memoryTotal, maxCostPerHour, prices }: Limits,
): boolean {
  const sum = (of: (group: SimulatedScalingGroup) => number): number =>
    sizes.reduce((total, { group, desired }) => total + desired * of(group), 0);
  const nodes = sum(() => 1);
  return (
    (maxNodesTotal === 0 || nodes <= maxNodesTotal) &&
    sum(coresOf) <= coresTotal.max &&
    sum(gibOf) <= memoryTotal.max &&
    (maxCostPerHour === 0 || sum((group) => priceOf(group, { prices })) <= maxCostPerHour + TOLERANCE)
  );
}

/** Do so many nodes of the group stay within its own limit of the cost? */
export function isWithinOwnLimit({ group, desired }: Sized, options: Pick<Options, 'prices'>): boolean {
  const { maxCostPerHour = 0 } = group.options;
  return maxCostPerHour === 0 || desired * priceOf(group, options) <= maxCostPerHour + TOLERANCE;
}

/** A node of an instance in Standby, which its group's size does not count, is a node of the cluster. */
const inStandby = (views: readonly GroupView[], { nodes }: Pick<SimulatedWorld['api'], 'nodes'>): readonly Sized[] =>
  views.map(({ group, aside = [] }) => ({
    group,
    desired: aside.filter(({ node }) => node !== null && nodes.has(node)).length,
  }));

/** May a group get one more node, or all that it lacks where it is all or nothing, by its maximum and the limits of the cluster? */
export function mayGrow(
  { group, desired }: GroupView,
  { api, scaling }: Pick<SimulatedWorld, 'api' | 'scaling'>,
  limits: Limits,
): boolean {
  const views = scaling.groups();
  const standby = inStandby(views, api);
  const more = { group, desired: isWholeGroup(group) ? group.maxSize - desired : 1 };
  const own = desired + more.desired + standby.reduce((sum, one) => sum + (one.group === group ? one.desired : 0), 0);
  return (
    desired < group.maxSize &&
    isWithinOwnLimit({ group, desired: own }, limits) &&
    areWithinLimits([...views, ...standby, more], limits)
  );
}
