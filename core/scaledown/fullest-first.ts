import { itemAt } from '../model/values/existing.ts';
import { byName } from '../model/values/names.ts';
import { CPU, MEMORY } from '../model/values/resources.ts';
import { CPU_INDEX, MEMORY_INDEX } from '../model/snapshot/resource-table.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';

/** The fullest first. */
export const fullestFirst = (nodes: readonly NodeInfo[]): readonly NodeInfo[] =>
  nodes
    .map((info) => ({ info, used: utilizedShare(info) }))
    .sort((a, b) => b.used - a.used || byName(a.info.name, b.info.name))
    .map(({ info }) => info);

/** The larger share of CPU and memory that is requested. */
export function utilizedShare({ free, node: { allocatable } }: NodeInfo): number {
  const share = (all: number, left: number): number => (all > 0 ? 1 - left / all : 0);
  return Math.max(
    share(allocatable[CPU] ?? 0, itemAt(free, CPU_INDEX)),
    share(allocatable[MEMORY] ?? 0, itemAt(free, MEMORY_INDEX)),
  );
}
