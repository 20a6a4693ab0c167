import type { Options } from '../../core/model/options.ts';
import { CPU, MEMORY } from '../../core/model/values/resources.ts';
import type { GroupView } from '../../providers/simulated/auto-scaling.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
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

function totalsOf(views: readonly Pick<GroupView, 'group' | 'desired'>[]): Totals {
  const sum = (of: (group: ScalingGroup) => number): number =>
    views.reduce((total, { group, desired }) => total + desired * of(group), 0);
  return { nodes: sum(() => 1), cores: sum(coresOf), gib: sum(gibOf) };
}

const isWithin = ({ nodes, cores, gib }: Totals, { maxNodesTotal, coresTotal, memoryTotal }: Limits): boolean =>
  (maxNodesTotal === 0 || nodes <= maxNodesTotal) && cores <= coresTotal.max && gib <= memoryTotal.max;

/** Do the sizes that groups are to have stay within the limits of the cluster? */
export const areWithinLimits = (views: readonly Pick<GroupView, 'group' | 'desired'>[], limits: Limits): boolean =>
  isWithin(totalsOf(views), limits);

/** May a group get one more node, or all that it has not, where it is all or nothing, by its own maximum and by the limits of the cluster? */
export const mayGrow = ({ group, desired }: GroupView, views: readonly GroupView[], limits: Limits): boolean =>
  desired < group.maxSize &&
  areWithinLimits([...views, { group, desired: isWholeGroup(group) ? group.maxSize - desired : 1 }], limits);

/** Does the cluster keep its minimums without so many nodes of the group? */
export const mayLose = (group: ScalingGroup, views: readonly GroupView[], { coresTotal }: Limits, nodes = 1): boolean =>
  totalsOf(views).cores - nodes * coresOf(group) >= coresTotal.min;
