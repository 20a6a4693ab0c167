import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Requests } from '../cluster.ts';

const TRACE = path.resolve(import.meta.dirname, '../../../../shared/data/openb/pods.csv');

interface Kind extends Requests {
  readonly replicas: number;
}

/** The first `count` CPU-only pods of the trace, by kind. */
export function openbKinds(count: number): readonly Kind[] {
  const [header = '', ...rows] = readFileSync(TRACE, 'utf8').trimEnd().split('\n');
  const columns = header.split(',');
  const pods = rows
    .map((row) => {
      const cells = row.split(',');
      return (column: string): number => Number(cells[columns.indexOf(column)]);
    })
    .filter((pod) => pod('num_gpu') === 0)
    .slice(0, count);
  const kinds = new Map<string, Kind>();
  for (const pod of pods) {
    const requests = { cpuMilli: pod('cpu_milli'), memoryMib: pod('memory_mib') };
    const key = `${requests.cpuMilli} ${requests.memoryMib}`;
    kinds.set(key, { ...requests, replicas: (kinds.get(key)?.replicas ?? 0) + 1 });
  }
  return [...kinds.values()];
}
