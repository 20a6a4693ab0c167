/**
 * Measures the work that this machine does now in a second of CPU time: figures of CPU time are comparable between
 * machines, or on a busy machine, only as a multiple of this figure. The loop does what evaluations do most: small
 * objects, maps, texts, bytes.
 */
import { cpuSince, median } from '../measure.ts';

const ROUNDS = 5;
const KEYS = 20_000;

/** @returns milliseconds of CPU of one round, the median of five; the first round, of code that is not optimized yet, is not counted */
export function calibrate(): number {
  const taken: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = process.cpuUsage();
    spin();
    taken.push(cpuSince(before));
  }
  return median(taken.slice(1));
}

function spin(): number {
  const known = new Map<string, { readonly cpu: number; readonly memory: number; readonly labels: object }>();
  for (let i = 0; i < KEYS; i += 1) {
    const name = `app-${(i * 7_919) % KEYS}-5d4f8c7b9`;
    known.set(name, { cpu: i % 97, memory: (i * 31) % 4_096, labels: { app: name, zone: 'abc'[i % 3] } });
  }
  const bytes = Buffer.from(JSON.stringify([...known]));
  const parsed = JSON.parse(bytes.toString()) as [string, { readonly cpu: number; readonly memory: number }][];
  const sorted = parsed.toSorted(([, a], [, b]) => b.memory - a.memory || b.cpu - a.cpu);
  let sum = 0;
  for (const [name, { cpu }] of sorted) {
    sum += (known.get(name)?.cpu ?? 0) * cpu;
  }
  for (const byte of bytes) {
    sum = (sum * 31 + byte) % 2_147_483_647;
  }
  return sum;
}
