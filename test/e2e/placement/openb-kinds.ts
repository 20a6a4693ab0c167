import { firstItem } from '../../../core/model/values/existing.ts';
import { openbPods } from '../../openb.ts';
import type { Requests } from '../cluster.ts';

interface Kind extends Requests {
  readonly replicas: number;
}

/** The first `count` CPU-only pods of the trace, by kind. */
export function openbKinds(count: number): readonly Kind[] {
  const pods = openbPods()
    .filter(({ gpus }) => gpus === 0)
    .slice(0, count);
  const kinds = Map.groupBy(pods, ({ milliCpu, memoryMib }) => `${milliCpu} ${memoryMib}`);
  return [...kinds.values()].map((alike) => {
    const { milliCpu: cpuMilli, memoryMib } = firstItem(alike);
    return { cpuMilli, memoryMib, replicas: alike.length };
  });
}
