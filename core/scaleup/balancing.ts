import { byName, type GroupName } from '../model/names.ts';

export interface Sized {
  readonly name: GroupName;
  readonly size: number;
  readonly max: number;
}

/**
 * Splits `count` new nodes over similar groups so that their sizes come as close to each other as they can: each node
 * goes to the smallest group that is below its maximum, ties by name. Sizes 1, 3 and 6: one node goes to the first;
 * four go three to the first and one to the second.
 *
 * @returns the group of each new node, in order; fewer than `count` when all groups are full.
 */
export function balance(groups: readonly Sized[], count: number): readonly GroupName[] {
  const sizes = groups.map(({ size }) => size);
  const order: GroupName[] = [];
  while (order.length < count) {
    let smallest = -1;
    for (let i = 0; i < groups.length; i++) {
      if (sizes[i]! < groups[i]!.max && (smallest < 0 || isBefore(i, smallest))) {
        smallest = i;
      }
    }
    if (smallest < 0) {
      break;
    }
    sizes[smallest]! += 1;
    order.push(groups[smallest]!.name);
  }
  return order;

  function isBefore(a: number, b: number): boolean {
    return sizes[a]! < sizes[b]! || (sizes[a] === sizes[b] && byName(groups[a]!.name, groups[b]!.name) < 0);
  }
}
