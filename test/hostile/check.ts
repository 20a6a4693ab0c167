import fc from 'fast-check';
import { faultsOf } from './laws.ts';
import { type Case, hostileCase } from './recipes.ts';

/** A case that breaks a law, as small as it could be made. */
export interface Failure {
  readonly seed: number;
  readonly case: Case;
  readonly faults: readonly string[];
}

/** Shrinking ends after so long, with the smallest case until then. */
const SHRINK_MS = 60_000;

/** The case of a seed. */
export const caseOfSeed = (seed: number): Case => fc.sample(hostileCase, { seed, numRuns: 1 })[0]!;

/** Runs the one case of a seed; `null` when every law holds. */
export async function checkSeed(seed: number): Promise<Failure | null> {
  let faults: readonly string[] = [];
  const property = fc.asyncProperty(hostileCase, async (given) => {
    const found = await faultsOf(given);
    if (found.length > 0) {
      faults = found;
    }
    return found.length === 0;
  });
  const { failed, counterexample } = await fc.check(property, {
    seed,
    numRuns: 1,
    interruptAfterTimeLimit: SHRINK_MS,
    markInterruptAsFailure: false,
  });
  return failed && counterexample !== null ? { seed, case: counterexample[0], faults } : null;
}

/** A failure in words, with the command that shows it again. */
export const describeFailure = ({ seed, case: given, faults }: Failure): string =>
  [
    `seed ${seed}:`,
    ...faults.map((fault) => `  ${fault.slice(0, 1_500)}`),
    `  in the smallest case that was found: ${JSON.stringify(given)}`,
    `  Again: npm run simulate-hostile -- --cases 1 --seed ${seed}`,
  ].join('\n');
