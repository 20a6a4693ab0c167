/** Figures of one benchmark. Times are milliseconds, memory is the peak of the whole process in MB. */
export interface Row {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** The median of what the process took of the cores, all its threads together: the same on a busy machine. */
  readonly cpuMs: number;
  readonly runs: number;
  readonly goalMs: number | null;
  readonly peakMb: number;
  /** Outcome of the run, so that a fast wrong answer is seen. */
  readonly result: string;
}

type Run = () => string | Promise<string>;

/** Times `run` alone, on an input of `renew` that no run has seen. */
interface RunOnFresh {
  readonly renew: () => void;
  readonly run: Run;
}

export interface Benchmark {
  readonly goalMs: number | null;
  /** Missing requirement, in words; `null` where the benchmark can run. */
  readonly lacking?: () => string | null;
  /** Prepares the input once; what it returns is timed. */
  readonly prepare: () => Run | RunOnFresh | Promise<Run>;
  readonly runs?: number;
  /** Runs that are not counted; two where nothing is said. */
  readonly warmUps?: number;
}

/** Runs a benchmark: first to warm up, then the counted runs, with the heap swept in between. */
export async function measure(name: string, { goalMs, prepare, runs = 9, warmUps = 2 }: Benchmark): Promise<Row> {
  const prepared = await prepare();
  const { run, renew } = typeof prepared === 'function' ? { run: prepared, renew: () => {} } : prepared;
  let result = '';
  for (let i = 0; i < warmUps; i++) {
    renew();
    result = await run();
  }
  const times: number[] = [];
  const cpu: number[] = [];
  for (let i = 0; i < runs; i++) {
    renew();
    globalThis.gc?.();
    const before = process.cpuUsage();
    const start = performance.now();
    result = await run();
    times.push(performance.now() - start);
    cpu.push(cpuSince(before));
  }
  times.sort((a, b) => a - b);
  return {
    name,
    medianMs: round(median(times)),
    minMs: round(times[0]!),
    maxMs: round(times.at(-1)!),
    cpuMs: round(median(cpu)),
    runs,
    goalMs,
    peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
    result,
  };
}

/** Milliseconds of CPU that the process has taken since then. */
export function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export const median = (taken: readonly number[]): number =>
  taken.toSorted((a, b) => a - b)[Math.floor(taken.length / 2)]!;

const round = (ms: number): number => Math.round(ms * 10) / 10;
