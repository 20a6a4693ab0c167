import { describe, expect, it } from 'vitest';
import { checkSeed, describeFailure } from './check.ts';

const CASES = 500;
const BATCH = 125;

/** 500 cases from a seed on, as tests. They take long, so they are in several files, which run beside each other. */
export function testCasesFrom(seed: number): void {
  describe('a workload beside hostile objects', () => {
    it.each(Array.from({ length: CASES / BATCH }, (_, i) => seed + i * BATCH))(
      `gets what it would get without them (${BATCH} cases from seed %i)`,
      async (first) => {
        for (let one = first; one < first + BATCH; one += 1) {
          const failure = await checkSeed(one);
          expect(failure === null ? '' : describeFailure(failure)).toBe('');
        }
      },
    );
  });
}
