import { readFileSync } from 'node:fs';

/** The resources that a process has used since it began. */
export interface Footprint {
  readonly cpuSeconds: number;
  /** The largest resident size. */
  readonly peakMb: number;
  /** Read from the network and from files. */
  readonly readMb: number;
}

/** Linux counts CPU time in hundredths of a second. */
const TICKS = 100;

/** @param pid of a process that runs. */
export function footprintOf(pid: number): Footprint {
  // The name, which may hold anything, ends with the last parenthesis; the third field follows it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  const [, kb = '0'] = /^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const [, bytes = '0'] = /^rchar: (\d+)$/mu.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? [];
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
    peakMb: Number(kb) / 1024,
    readMb: Number(bytes) / 1024 ** 2,
  };
}
