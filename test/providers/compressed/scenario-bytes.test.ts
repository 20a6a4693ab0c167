import { brotliDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import { recorded } from '../../../core/reconcile/recorded.ts';
import { readScenarioBytes, writeScenarioBytes } from '../../../providers/compressed/scenario-bytes.ts';
import { pod } from '../../builders.ts';
import { scenario as scenarioOf, times } from '../../scenario-builders.ts';
import { scenario } from '../scenario/arbitraries.ts';

it('writes what JSON.stringify writes, whatever the scenario', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const bytes = await writeScenarioBytes(given);
      expect(brotliDecompressSync(bytes!).toString()).toBe(JSON.stringify(given));
    }),
    { numRuns: 100 },
  );
});

it('reads a scenario from which the same is decided, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const read = await readScenarioBytes((await writeScenarioBytes(given))!);
      for (const evaluate of [evaluateScaleUp, evaluateScaleDown]) {
        expect(JSON.stringify(recorded(evaluate(read), read))).toBe(JSON.stringify(recorded(evaluate(given), given)));
      }
    }),
    { numRuns: 100 },
  );
});

it('gives up a scenario that takes more bytes than it may', async () => {
  const given = scenarioOf({ objects: { pods: times(500, (n) => pod(`pod-${n}`)) } });
  const { byteLength } = (await writeScenarioBytes(given))!;
  expect(await writeScenarioBytes(given, byteLength)).not.toBeNull();
  expect(await writeScenarioBytes(given, byteLength - 1)).toBeNull();
});
