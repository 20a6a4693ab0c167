import { type Run, run, type RunOptions } from './run.ts';

/**
 * The run with the fewest faults from its beginning on that still goes wrong; the one given when all of them are needed.
 * One after the other is tried, not half after half: with fewer faults another run follows, so that one that goes wrong
 * says nothing about those with more faults.
 */
export async function shrink(failed: Run, options: Omit<RunOptions, 'seed' | 'provider' | 'limit'> = {}): Promise<Run> {
  for (let limit = 0; limit < failed.faults; limit += 1) {
    const shorter = await run({ ...options, seed: failed.seed, provider: failed.provider, limit });
    if (shorter.violation !== null) {
      return shorter;
    }
  }
  return failed;
}
