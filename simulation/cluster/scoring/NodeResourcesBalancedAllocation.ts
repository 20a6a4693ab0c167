import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { minorOf } from '@outrigger/core/model/cluster/kubernetes-version.ts';
import type { NodeInfo } from '@outrigger/core/model/snapshot/snapshot.ts';
import { CPU, MEMORY } from '@outrigger/core/model/values/resources.ts';
import { CPU_INDEX, MEMORY_INDEX } from '@outrigger/core/model/snapshot/resource-table.ts';
import { MAX_NODE_SCORE, type ScorePlugin } from './score-plugin.ts';

/**
 * How alike the shares of CPU and of memory are that would be taken; pods that ask for neither do not care. Since 1.36, how
 * much more alike the pod makes these shares. Follows kube-scheduler 1.33 to 1.37,
 * plugins/noderesources/balanced_allocation.go.
 */
export const nodeResourcesBalancedAllocation: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  prepare: ({ objects }) => {
    const scoresImprovement = minorOf(objects) >= 36;
    return ({ kind: { requests } }) => {
      const cpu = requests[CPU] ?? 0;
      const memory = requests[MEMORY] ?? 0;
      if (cpu === 0 && memory === 0) {
        return null;
      }
      return (nodes, scores) => {
        for (let i = 0; i < nodes.length; i++) {
          const taken = balance(itemAt(nodes, i), cpu, memory);
          scores[i] = scoresImprovement
            ? MAX_NODE_SCORE / 2 + Math.floor((MAX_NODE_SCORE / 2 + taken - balance(itemAt(nodes, i), 0, 0)) / 2)
            : taken;
        }
      };
    };
  },
};

/** How alike the shares are with this much more taken, from 50 to 100. */
function balance({ free, node }: NodeInfo, cpu: number, memory: number): number {
  const cpus = node.allocatable[CPU] ?? 0;
  const bytes = node.allocatable[MEMORY] ?? 0;
  // The standard deviation of two figures is half of their difference; of a single figure it is 0.
  if (cpus === 0 || bytes === 0) {
    return MAX_NODE_SCORE;
  }
  const ofCpu = takenShare(cpus, itemAt(free, CPU_INDEX), cpu);
  const ofMemory = takenShare(bytes, itemAt(free, MEMORY_INDEX), memory);
  return Math.floor((1 - Math.abs(ofCpu - ofMemory) / 2) * MAX_NODE_SCORE);
}

const takenShare = (allocatable: number, free: number, request: number): number =>
  Math.min(1, (allocatable - free + request) / allocatable);
