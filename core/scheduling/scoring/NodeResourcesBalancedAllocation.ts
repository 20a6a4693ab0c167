import { CPU, MEMORY } from '../../model/values/resources.ts';
import { CPU_INDEX, MEMORY_INDEX } from '../../model/snapshot/resource-table.ts';
import { MAX_NODE_SCORE, type ScorePlugin } from './score-plugin.ts';

/**
 * How alike the shares of CPU and of memory are that would be taken; pods that ask for neither do not care. Follows
 * kube-scheduler 1.35, plugins/noderesources/balanced_allocation.go.
 */
export const nodeResourcesBalancedAllocation: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  prepare:
    () =>
    ({ kind: { requests } }) => {
      const cpu = requests[CPU] ?? 0;
      const memory = requests[MEMORY] ?? 0;
      if (cpu === 0 && memory === 0) {
        return null;
      }
      return (nodes, scores) => {
        for (let i = 0; i < nodes.length; i++) {
          const { free, node } = nodes[i]!;
          const cpus = node.allocatable[CPU] ?? 0;
          const bytes = node.allocatable[MEMORY] ?? 0;
          // The standard deviation of two figures is half of their difference; of a single figure it is 0.
          const deviation =
            cpus === 0 || bytes === 0
              ? 0
              : Math.abs(takenShare(cpus, free[CPU_INDEX]!, cpu) - takenShare(bytes, free[MEMORY_INDEX]!, memory)) / 2;
          scores[i] = Math.floor((1 - deviation) * MAX_NODE_SCORE);
        }
      };
    },
};

const takenShare = (allocatable: number, free: number, request: number): number =>
  Math.min(1, (allocatable - free + request) / allocatable);
