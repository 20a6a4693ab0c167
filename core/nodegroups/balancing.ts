import { getExisting } from '../model/values/existing.ts';
import { byName, type GroupName } from '../model/values/names.ts';

export interface SizedGroup {
  readonly name: GroupName;
  readonly size: number;
  readonly max: number;
}

/** Similar groups that share new nodes among them. */
interface Balancer {
  /**
   * The smallest group that is below its maximum; of several, the group with the smaller initial size, then the
   * preferred group, then by name. `null` when all are full.
   */
  readonly smallest: (except?: readonly GroupName[]) => GroupName | null;
  /** Gives one node to a group. */
  readonly take: (group: GroupName) => void;
}

/**
 * Splits new nodes over similar groups so that the groups' sizes become as equal as possible: each node goes to the
 * smallest group. Sizes 1, 3 and 6: one node goes to the first; four go three to the first and one to the second.
 *
 * Follows Cluster Autoscaler's `BalanceScaleUpBetweenGroups`.
 *
 * @param preferred the group that the expanders choose.
 */
export function createBalancer(groups: readonly SizedGroup[], preferred: GroupName | null): Balancer {
  const sizes = new Map(groups.map(({ name, size }) => [name, size]));
  const row = groups.toSorted(
    (a, b) => a.size - b.size || Number(b.name === preferred) - Number(a.name === preferred) || byName(a.name, b.name),
  );
  return {
    smallest: (except = []) => {
      let smallest: GroupName | null = null;
      for (const { name, max } of row) {
        const size = getExisting(sizes, name);
        if (size < max && (smallest === null || size < getExisting(sizes, smallest)) && !except.includes(name)) {
          smallest = name;
        }
      }
      return smallest;
    },
    take: (group) => sizes.set(group, getExisting(sizes, group) + 1),
  };
}
