/** One benchmark's figures. Times are milliseconds, memory is the peak of the whole process in MB. */
export interface Row {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly runs: number;
  readonly goalMs: number | null;
  readonly peakMb: number;
  /** What came out, so that a fast wrong answer is seen. */
  readonly result: string;
}

type Run = () => string | Promise<string>;

export interface Benchmark {
  readonly goalMs: number | null;
  /** What it needs that is not there, in words; `null` where it can run. */
  readonly lacking?: () => string | null;
  /** Prepares the input once; what it returns is timed. */
  readonly prepare: () => Run | Promise<Run>;
  readonly runs?: number;
}

/** Runs a benchmark: two runs to warm up, then the counted ones, with the heap swept in between. */
export async function measure(name: string, { goalMs, prepare, runs = 7 }: Benchmark): Promise<Row> {
  const run = await prepare();
  await run();
  let result = await run();
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    globalThis.gc?.();
    const start = performance.now();
    result = await run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const round = (ms: number): number => Math.round(ms * 10) / 10;
  return {
    name,
    medianMs: round(times[Math.floor(times.length / 2)]!),
    minMs: round(times[0]!),
    maxMs: round(times.at(-1)!),
    runs,
    goalMs,
    peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
    result,
  };
}
