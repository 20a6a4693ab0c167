import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { backtestCommandLine, type BacktestFlags } from '../../../cli/backtest/run.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { writeScenario } from '../../../providers/scenario/scenario.ts';
import { documentSchema } from '../../../providers/schema/documents.ts';
import { evaluated } from '../../explained.ts';
import type { TestWorld } from '../../functions/test-world.ts';
import { NOW } from '../../scenario-builders.ts';
import { captured } from '../captured.ts';
import { storedCluster } from '../explain/stored-cluster.ts';
import { twoEvaluations } from '../history/stored-history.ts';
import { playedShop } from './histories.ts';

const folder = mkdtempSync(join(tmpdir(), 'outrigger-backtest-'));
const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  const { observations } = await playedShop(7, 2);
  const documents = observations.flatMap(({ scenario }) =>
    scenario === null ? [] : [JSON.stringify(writeScenario(scenario))],
  );
  writeFileSync(file('shop.yaml'), documents.join('\n---\n'));
  writeFileSync(file('one.json'), documents[0]!);
  writeFileSync(file('wrong.yaml'), 'apiVersion: outrigger.dev/v1alpha1\nkind: Scenario\nnow: yesterday\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const run = (files: readonly string[], flags: Partial<BacktestFlags> = {}) =>
  captured((streams) =>
    backtestCommandLine(files, { output: 'text', set: [], seed: 1, ...flags }, streams, () =>
      addTime(NOW, minutes(30)),
    ),
  );

async function ofTable(play: (world: TestWorld) => Promise<void>, flags: Partial<BacktestFlags> = {}) {
  const { server, table } = await storedCluster(false, play);
  return await run([], { cluster: 'web', table, dynamodbEndpoint: server.endpoint, ...flags });
}

describe('scenarios in files', () => {
  it('are printed beside two runs, with what is unknown', async () => {
    const { code, stdout, stderr } = await run([file('shop.yaml')], { set: ['scaleDownUnneededTime=2m'] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Period +2026-01-01T09:\d\d:\d\dZ – 2026-01-01T10:\d\d:\d\dZ\nCovered +1h\d+m of 1h\d+m, /);
    expect(stdout).toContain('\nSet      scaleDownUnneededTime=2m\n');
    expect(stdout).toMatch(/\n {5,}history {2}own options {2}with --set\nUSD +[\d.]+ +[\d.]+ +[\d.]+\n/);
    expect(stdout).toMatch(/\nEvictions +unknown +\d+ +\d+\n/);
    expect(stdout).toMatch(/\n {2}with --set +[▁▂▃▄▅▆▇█]{56}\n/);
    expect(stdout).toMatch(/\nWith --set +USD −\d+\.\d %, node-hours −\d+\.\d %, CPU-hours/);
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  });

  it('are played by Karpenter, with the nodes of its own choice', async () => {
    const { code, stdout } = await run([file('shop.yaml')], { peer: 'karpenter' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n {5,}history {2}own options {2}Karpenter\n/);
    expect(stdout).toMatch(/\n {2}[a-z0-9]+\.\d*x?large us-east-1\w, pool 1 \(\$[\d.]+\/h\) +0\.0 +0\.0 +[\d.]+\n/);
    expect(stdout).toMatch(/\nKarpenter +USD [+−]?\d+\.\d %, /);
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  });

  it('are played by Karpenter without options of Outrigger', async () => {
    const { code, stderr } = await run([file('shop.yaml')], { peer: 'karpenter', set: ['expander=price'] });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: --set expander=price: Karpenter has no options of Outrigger. Leave out --set, or use --peer cluster-autoscaler\n',
    });
  });

  it('are played by the rules of Cluster Autoscaler, whatever options the cluster has', async () => {
    const html = file('peer.html');
    const { code, stdout } = await run([file('shop.yaml')], { peer: 'cluster-autoscaler', html });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n {5,}history {2}own options {2}Cluster Autoscaler\n/);
    expect(stdout).toMatch(/\nCluster Autoscaler +USD [+−]?\d+\.\d %, /);
    expect(stdout).toMatch(/\n {2}Cluster Autoscaler +[▁▂▃▄▅▆▇█]{56}\n/);
    expect(stdout).toMatch(/Its loop\s+looks\s+every\s+10/);
    expect(stdout).not.toContain('Add --set');
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
    expect(readFileSync(html, 'utf8')).toContain('Cluster Autoscaler');
  });

  it('are printed as a document of the schema, and drawn on a page', async () => {
    const html = file('backtest.html');
    const { code, stdout } = await run([file('shop.yaml')], { output: 'json', html });
    expect(code).toBe(0);
    const document = JSON.parse(stdout) as object;
    expect(document).toMatchObject({ kind: 'Backtest', cluster: null, other: null, set: {} });
    expect(z.fromJSONSchema(documentSchema('backtest')).safeParse(document).error).toBeUndefined();
    expect(readFileSync(html, 'utf8')).toContain('Outrigger backtest');
  });

  it('may be a part of their time', async () => {
    const last: BacktestFlags['last'] = (until) => epochMs(until - minutes(45));
    const { stdout } = await run([file('shop.yaml')], { last });
    expect(stdout).toMatch(/\nCovered +\d+m of 45m, /);
    expect(stdout).toContain('Add --set option=value');
  });

  it.each([
    {
      files: ['one.json'],
      said: /one\.json: 1 scenario: expected scenarios over 10m at least, found fewer than two of different times\. Take one/,
    },
    { files: ['wrong.yaml'], said: /wrong\.yaml:3: now: expected a time.*found "yesterday"/ },
    { files: ['nowhere.yaml'], said: /nowhere\.yaml: no such file/ },
  ])('$files are no history, and why', async ({ files, said }) => {
    const { code, stdout, stderr } = await run(files.map(file));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(said);
  });
});

describe('the command line', () => {
  it.each([
    [[], {}, 'expected --cluster NAME, or files with scenarios of different times, found neither'],
    [['a.yaml'], { cluster: 'web' }, 'expected --cluster or files with scenarios, found both'],
    [['a.yaml'], { set: ['unneeded=1m'] }, '--set unneeded: expected '],
  ])('of %j and %j is wrong', async (files, flags, said) => {
    const { code, stderr } = await run(files, flags);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  it('ends with 1 where the page cannot be written', async () => {
    const { code, stderr } = await run([file('shop.yaml')], { html: join(folder, 'no', 'page.html') });
    expect(code).toBe(1);
    expect(stderr).toContain('the page cannot be written');
  });
});

describe('a history in a table', () => {
  it('is played', async () => {
    const { code, stdout, stderr } = await ofTable(twoEvaluations, { output: 'json', set: ['maxNodesTotal=3'] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      cluster: 'web',
      coverage: { wantedSeconds: 7 * 86_400, coveredSeconds: 900 },
      set: { maxNodesTotal: 3 },
      history: { evictions: 0 },
    });
  });

  it('that is too short says how much of the time is covered', async () => {
    const { code, stderr } = await ofTable(evaluated);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: The history of cluster web from .* to .*: expected decisions with what they were made from over 10m at least, found such for 0 of 10080 minutes\. Give a longer --last/,
    );
  });

  it('warns of options without effect', async () => {
    const { stderr } = await ofTable(twoEvaluations, { set: ['max-nodes-total=0'] });
    expect(stderr).toBe('Warning: maxNodesTotal had this value already\n');
  });
});
