import type { ProviderName } from '../../core/model/provider.ts';
import { type Run, run } from './run.ts';

const known = new Map<string, Promise<Run>>();

/** The run of a seed with nothing left out or broken. It is the same each time, so it is run once. */
export async function runOf(seed: number, provider: ProviderName = 'aws'): Promise<Run> {
  const key = `${provider} ${seed}`;
  const found = known.get(key) ?? run({ seed, provider });
  known.set(key, found);
  return await found;
}

/**
 * Runs one seed after the other until nothing is lacking.
 *
 * @param lacking names what no run has shown that one must.
 * @returns the runs, and what is lacking after all seeds.
 */
export async function enoughRuns(
  seeds: readonly number[],
  ofSeed: (seed: number) => Promise<Run>,
  lacking: (runs: readonly Run[]) => readonly string[],
): Promise<{ readonly runs: readonly Run[]; readonly lacking: readonly string[] }> {
  const runs: Run[] = [];
  for (const seed of seeds) {
    runs.push(await ofSeed(seed));
    if (lacking(runs).length === 0) {
      break;
    }
  }
  return { runs, lacking: lacking(runs) };
}

/** What of the runs has violated something, with their seeds. */
export const violationsOf = (runs: readonly Run[]): readonly object[] =>
  runs.flatMap(({ seed, violation }) => (violation === null ? [] : { seed, violation }));
