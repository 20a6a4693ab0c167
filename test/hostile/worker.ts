import { checkSeed, describeFailure } from './check.ts';

/** The seeds of some cases. */
export interface Task {
  readonly first: number;
  readonly count: number;
}

/** What has come of them: a report for each that fails. */
export interface Done {
  readonly count: number;
  readonly failures: readonly { readonly seed: number; readonly report: string }[];
}

process.on('message', ({ first, count }: Task) => {
  void answer(first, count);
});

async function answer(first: number, count: number): Promise<void> {
  process.send!(await run(first, count));
}

async function run(first: number, count: number): Promise<Done> {
  const failures: Done['failures'][number][] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const failure = await checkSeed(seed);
    if (failure !== null) {
      failures.push({ seed, report: describeFailure(failure) });
    }
  }
  return { count, failures };
}
