import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { adviseCommandLine, type AdviseFlags } from '../../../cli/advise/run.ts';
import { writeScenario } from '../../../providers/scenario/scenario.ts';
import { documentSchema } from '../../../providers/schema/documents.ts';
import type { DemoLoad } from '../../../simulation/load/load.ts';
import { NOW } from '../../scenario-builders.ts';
import { playedHistory } from '../backtest/histories.ts';
import { captured } from '../captured.ts';
import { loadOf } from './loads.ts';

const folder = mkdtempSync(join(tmpdir(), 'outrigger-advise-'));
const cpuHeavy = join(folder, 'cpu.yaml');
const unpriced = join(folder, 'unpriced.yaml');
const reserved = join(folder, 'reserved.yaml');

async function writeHistory(file: string, load: DemoLoad): Promise<void> {
  const { observations } = await playedHistory(load);
  const documents = observations.flatMap(({ scenario }) =>
    scenario === null ? [] : [JSON.stringify(writeScenario(scenario))],
  );
  writeFileSync(file, documents.join('\n---\n'));
}

beforeAll(async () => {
  const load = loadOf(['m5.xlarge'], { cpu: '900m', memory: '512Mi' });
  await writeHistory(cpuHeavy, load);
  const commitments = [
    { kind: 'ReservedInstances', type: 'm5.xlarge', zone: null, count: 5, available: null, coversSizes: true },
  ] as const;
  const groups = load.groups.map((group) => ({ ...group, capacityType: 'on-demand' }));
  await writeHistory(reserved, { ...load, groups, commitments });
  await writeHistory(unpriced, { ...load, groups: load.groups.map((group) => ({ ...group, price: null })) });
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (files: readonly string[], flags: Partial<AdviseFlags> = {}) =>
  captured((streams) =>
    adviseCommandLine(files, { output: 'text', layouts: 1, runs: 2, seed: 1, ...flags }, streams, () => NOW),
  );

test('types with less memory are advised for pods of much CPU, and save in simulations of other seeds', async () => {
  const { code, stdout, stderr } = await run([cpuHeavy]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\nTried +\d+ layouts by an estimate, 6 in a simulation, 1 in 2 more\n/);
  expect(stdout).toMatch(/\nlayout 1 .* \d+\.\d % \(\d+\.\d to \d+\.\d\) /);
  expect(stdout).toMatch(/\nLayout 1\n {2}\* m5-xlarge-a, m5-xlarge-b, m5-xlarge-c: .*c6a\.\w+/);
  expect(stdout).toContain('\nLayout 1 saves most. To use it, create node groups');
});

test('programs get a document of the schema', async () => {
  const document = JSON.parse((await run([cpuHeavy], { output: 'json', layouts: 2 })).stdout) as {
    readonly layouts: readonly { readonly verdict: string; readonly saving: { readonly low: number } }[];
  };
  expect(document).toMatchObject({ kind: 'Advice', cluster: null, seeds: [2, 3] });
  expect(document.layouts[0]).toMatchObject({ verdict: 'saves' });
  expect(document.layouts[0]!.saving.low).toBeGreaterThan(0.05);
  expect(z.fromJSONSchema(documentSchema('advice')).safeParse(document).error).toBeUndefined();
});

test('a layout that leaves reserved instances unused is not said to save', async () => {
  const { stdout } = await run([reserved]);
  expect(stdout).toMatch(/\nlayout 1 .* \d+\.\d % \(\d+\.\d to \d+\.\d\) /);
  expect(stdout).toContain('\nNo layout is advised: those that save at list price leave capacity unused');
  expect(stdout.replaceAll(/\n +/g, ' ')).toContain(
    'No node of layout 1 uses capacity that is paid for in any case: ReservedInstances for m5.xlarge.',
  );
});

test('a history without prices is refused with what to do', async () => {
  const { code, stdout, stderr } = await run([unpriced]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^error: There is no node group for which another instance type could be tried\. m5-xlarge-a: its price is unknown; .* The option prices and tags state prices\.\n$/,
  );
});

test('a command line without a source, and a missing file, are refused', async () => {
  expect(await run([])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('expected --cluster NAME, or files'),
  });
  expect(await run([join(folder, 'none.yaml')])).toMatchObject({ code: 2, stdout: '' });
});
