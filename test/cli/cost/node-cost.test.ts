import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { nodeCostCommandLine, type NodeCostFlags } from '../../../cli/cost/node-cost.ts';
import { costBreakdownOf } from '../../../cli/cost/cost-breakdown.ts';
import { observePeriod } from '../../../cli/history/observe.ts';
import { monthToDate } from '../../../core/explanation/month-to-date.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { writeScenario } from '../../../providers/scenario/scenario.ts';
import { documentSchema } from '../../../providers/schema/documents.ts';
import { NOW } from '../../scenario-builders.ts';
import { playedShop } from '../backtest/histories.ts';
import { captured } from '../captured.ts';
import { storedCluster } from '../explain/stored-cluster.ts';
import { twoEvaluations } from '../history/stored-history.ts';

const folder = mkdtempSync(join(tmpdir(), 'outrigger-node-cost-'));
const shop = join(folder, 'shop.yaml');

beforeAll(async () => {
  const { observations } = await playedShop(7, 1);
  const documents = observations.flatMap(({ scenario }) =>
    scenario === null ? [] : [JSON.stringify(writeScenario(scenario))],
  );
  writeFileSync(shop, documents.join('\n---\n'));
});
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const run = (files: readonly string[], flags: Partial<NodeCostFlags> = {}) =>
  captured((streams) =>
    nodeCostCommandLine(files, { output: 'text', by: { of: 'namespace' }, ...flags }, streams, () =>
      addTime(NOW, minutes(30)),
    ),
  );

test('scenarios in files are told with their rows, what is idle, and the total', async () => {
  const { code, stdout, stderr } = await run([shop], { by: { of: 'label', label: 'app' } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\nA month +\d+\.\d\d USD in 730 hours at this rate\n/);
  expect(stdout).toMatch(/\nlabel=app +USD {2}share\n(?:[\w-]+ +\d+\.\d\d +\d+%\n)+/);
  expect(stdout).toMatch(/\nidle +\d+\.\d\d +\d+%\ntotal +\d+\.\d\d +100%\n/);
});

test('the rows add up to the cost of all nodes, and so do the sums that evaluations keep', async () => {
  const { observations } = await playedShop(7, 3);
  const period = await observePeriod(observations);
  const { usd, idle, rows } = costBreakdownOf(period!, { of: 'namespace' });
  expect(Math.abs(rows.reduce((sum, row) => sum + row.usd, idle) / usd - 1)).toBeLessThan(0.001);
  const { state, options } = period!.last;
  const month = monthToDate(state, options, period!.until)!;
  expect(Math.abs(month.usd / usd - 1)).toBeLessThan(0.01);
});

test('rows of node groups say what of them is idle', async () => {
  const { stdout } = await run([shop], { by: { of: 'node-group' } });
  expect(stdout).toMatch(/\nnode-group +USD {2}share {2}of it idle\nm5-2xlarge-[abc] +\d+\.\d\d +\d+% +\d+\.\d\d\n/);
});

test('programs get a document of the schema', async () => {
  const document = JSON.parse((await run([shop], { output: 'json' })).stdout) as object;
  expect(document).toMatchObject({ kind: 'NodeCost', cluster: null, by: 'namespace', unpricedHours: 0 });
  expect(z.fromJSONSchema(documentSchema('node-cost')).safeParse(document).error).toBeUndefined();
});

test('a history in a table is told since the beginning of the month, and what has no price', async () => {
  const { server, table } = await storedCluster(false, twoEvaluations);
  const { code, stdout } = await run([], { cluster: 'web', table, dynamodbEndpoint: server.endpoint });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^The cost of the nodes\. The bill of Outrigger itself [^]*\n\nCluster +web\n/);
  expect(stdout).toMatch(/\nCovered +15m of \d+h/);
  expect(stdout).toContain('Not counted: nodes without a known price');
});

test('without a source the command line is wrong', async () => {
  const { code, stderr } = await run([]);
  expect(code).toBe(2);
  expect(stderr).toContain('expected --cluster NAME, or files with scenarios');
});
