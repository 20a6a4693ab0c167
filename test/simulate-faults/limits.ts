import type { Options } from '../../core/model/options.ts';
import { CPU, MEMORY } from '../../core/model/values/resources.ts';
import type { GroupView } from '../../simulation/cloud/group-view.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import { isWholeGroup } from './whole-groups.ts';

type Limits = Pick<Options, 'maxNodesTotal' | 'coresTotal' | 'memoryTotal' | 'maxCostPerHour'>;

export const coresOf = ({ capacity }: SimulatedScalingGroup): number => capacity[CPU]! / 1_000;
export const gibOf = ({ capacity }: SimulatedScalingGroup): number => capacity[MEMORY]! / 2 ** 30;

/** Resources of Cluster API have no price: runs with them have no limit of the cost. */
export const priceOf = ({ price }: SimulatedScalingGroup): number => price ?? 0;

type Sized = Pick<GroupView, 'group' | 'desired'>;

/** Do groups of these sizes stay within the limits of the cluster? */
export function areWithinLimits(
  sizes: readonly Sized[],
  { maxNodesTotal, coresTotal, memoryTotal, maxCostPerHour }: Limits,
): boolean {
  const sum = (of: (group: SimulatedScalingGroup) => number): number =>
    sizes.reduce((total, { group, desired }) => total + desired * of(group), 0);
  const nodes = sum(() => 1);
  return (
    (maxNodesTotal === 0 || nodes <= maxNodesTotal) &&
    sum(coresOf) <= coresTotal.max &&
    sum(gibOf) <= memoryTotal.max &&
    // Sums of decimal fractions differ by their order.
    (maxCostPerHour === 0 || sum(priceOf) <= maxCostPerHour + 1e-9)
  );
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
  const more = { group, desired: isWholeGroup(group) ? group.maxSize - desired : 1 };
  return desired < group.maxSize && areWithinLimits([...views, ...inStandby(views, api), more], limits);
}
