import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Pods of OpenB, the trace of a production cluster of Alibaba (`clusterdata`, cluster-trace-gpu-v2023). It lies beside the
 * repository and is read there alone.
 */
const FILE = path.join(import.meta.dirname, '../../shared/data/openb/pods.csv');

const DAY = 24 * 3_600;

/** A pod of the trace. Times are seconds from the trace's start. */
export interface TracedPod {
  readonly name: string;
  readonly milliCpu: number;
  readonly memoryMib: number;
  /** A share of a GPU counts as a whole one. */
  readonly gpus: number;
  /** Infinite for a pod that never had a node. */
  readonly from: number;
  readonly to: number;
}

/** Why there is no trace; `null` where there is. */
export const openbLacking = (): string | null =>
  existsSync(FILE) ? null : `the trace OpenB is not there: expected its pods in ${FILE}`;

/** The pods that ran at some time of the days `first` up to, but not including, `end`. */
export const openbPodsOf = (first: number, end: number): readonly TracedPod[] =>
  openbPods().filter((pod) => pod.from < end * DAY && pod.to > Math.max(pod.from, first * DAY));

/** All pods, in the order of the trace. */
export function openbPods(): readonly TracedPod[] {
  const [head = '', ...rows] = readFileSync(FILE, 'utf8').trimEnd().split('\n');
  const columns = head.split(',');
  const index = (name: string): number => {
    const found = columns.indexOf(name);
    if (found === -1) {
      throw new Error(`${FILE}: expected a column ${name}, found ${head}`);
    }
    return found;
  };
  const [name, cpu, memory, gpus, from, to] = [
    'name',
    'cpu_milli',
    'memory_mib',
    'num_gpu',
    'scheduled_time',
    'deletion_time',
  ].map(index) as [number, number, number, number, number, number];
  return rows
    .map((row) => row.split(','))
    .map((cells) => ({
      name: cells[name]!,
      milliCpu: Number(cells[cpu]),
      memoryMib: Number(cells[memory]),
      gpus: Number(cells[gpus]),
      from: cells[from] === '' ? Infinity : Number(cells[from]),
      to: Number(cells[to]),
    }));
}
