import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { CPU, MEMORY } from '@outrigger/core/model/values/resources.ts';
import { CPU_INDEX, MEMORY_INDEX } from '@outrigger/core/model/snapshot/resource-table.ts';
import { countedRequests, StandIns } from './requested.ts';
import { MAX_NODE_SCORE, type ScorePlugin } from './score-plugin.ts';

/**
 * LeastAllocated: the mean of the shares of CPU and of memory that stay free. Follows kube-scheduler 1.35,
 * plugins/noderesources/least_allocated.go.
 */
export const nodeResourcesFitScore: ScorePlugin = {
  name: 'NodeResourcesFit',
  prepare: ({ snapshot }) => {
    const standIns = new StandIns(snapshot);
    return ({ kind }) => {
      const { cpu, memory } = countedRequests(kind);
      return (nodes, scores) => {
        for (let i = 0; i < nodes.length; i++) {
          const { index, free, node } = itemAt(nodes, i);
          const cpus = node.allocatable[CPU] ?? 0;
          const bytes = node.allocatable[MEMORY] ?? 0;
          const cpuScore = freeScore(itemAt(free, CPU_INDEX) - standIns.cpu(index) - cpu, cpus);
          const memoryScore = freeScore(itemAt(free, MEMORY_INDEX) - standIns.memory(index) - memory, bytes);
          const counted = Number(cpus > 0) + Number(bytes > 0);
          scores[i] = counted === 0 ? 0 : Math.floor((cpuScore + memoryScore) / counted);
        }
      };
    };
  },
};

const freeScore = (left: number, allocatable: number): number =>
  allocatable === 0 || left < 0 ? 0 : Math.floor((left * MAX_NODE_SCORE) / allocatable);
