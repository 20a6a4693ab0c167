import type { Options } from '../../core/model/options.ts';
import { CPU, MEMORY } from '../../core/model/values/resources.ts';
import type { GroupView } from '../../providers/simulated/auto-scaling.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { isWholeGroup } from './whole-groups.ts';

type Limits = Pick<Options, 'maxNodesTotal' | 'coresTotal' | 'memoryTotal'>;

/** What the node groups amount to. */
interface Totals {
  readonly nodes: number;
  readonly cores: number;
  readonly gib: number;
}

export const coresOf = ({ capacity }: ScalingGroup): number => capacity[CPU]! / 1_000;
export const gibOf = ({ capacity }: ScalingGroup): number => capacity[MEMORY]! / 2 ** 30;

type Sized = Pick<GroupView, 'group' | 'desired'>;

function totalsOf(views: readonly Sized[]): Totals {
  const sum = (of: (group: ScalingGroup) => number): number =>
    views.reduce((total, { group, desired }) => total + desired * of(group), 0);
  return { nodes: sum(() => 1), cores: sum(coresOf), gib: sum(gibOf) };
}

const isWithin = ({ nodes, cores, gib }: Totals, { maxNodesTotal, coresTotal, memoryTotal }: Limits): boolean =>
  (maxNodesTotal === 0 || nodes <= maxNodesTotal) && cores <= coresTotal.max && gib <= memoryTotal.max;

/** A node of an instance in Standby, which its group's size does not count, is a node of the cluster. */
const inStandby = (views: readonly GroupView[], { nodes }: Pick<SimulatedWorld['api'], 'nodes'>): readonly Sized[] =>
  views.map(({ group, aside = [] }) => ({
    group,
    desired: aside.filter(({ node }) => node !== null && nodes.has(node)).length,
  }));

/** Do the sizes that groups are to have, and the nodes beside them, stay within the limits of the cluster? */
export const areWithinLimits = (
  views: readonly GroupView[],
  { api }: Pick<SimulatedWorld, 'api'>,
  limits: Limits,
  more: readonly Sized[] = [],
): boolean => isWithin(totalsOf([...views, ...inStandby(views, api), ...more]), limits);

/** May a group get one more node, or all that it has not, where it is all or nothing, by its own maximum and by the limits of the cluster? */
export const mayGrow = (
  { group, desired }: GroupView,
  world: Pick<SimulatedWorld, 'api' | 'scaling'>,
  limits: Limits,
): boolean =>
  desired < group.maxSize &&
  areWithinLimits(world.scaling.groups(), world, limits, [
    { group, desired: isWholeGroup(group) ? group.maxSize - desired : 1 },
  ]);
