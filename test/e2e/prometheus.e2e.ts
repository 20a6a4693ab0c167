import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { STORED_METRICS } from '../../cli/local/endpoint/metric-names.ts';
import { openCluster } from './cluster.ts';
import { serverSet } from './server-set.ts';
import { region, testCredentials } from './servers/aws-clients.ts';
import { ensureServers } from './servers/cache.ts';
import { freePorts, startProcess } from './servers/server-process.ts';

const root = path.resolve(import.meta.dirname, '../..');
const RULES = path.join(root, 'deploy/prometheus/rules.yaml');
const DASHBOARD = path.join(root, 'deploy/prometheus/dashboard.json');
const { prometheus } = await ensureServers(['prometheus']);
const promtool = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(path.join(prometheus, 'promtool'), args);
  return stdout;
};

/** Starts a process of this test, which ends with the test. */
function start(name: string, command: string, args: readonly string[]): void {
  const environment = {
    AWS_ACCESS_KEY_ID: testCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: testCredentials.secretAccessKey,
  };
  const process = startProcess({ name, command, args, cwd: root, environment, logs: serverSet.logs });
  onTestFinished(() => process.stop());
}

/** The expressions of the dashboard, for all jobs and instances. */
async function panelExpressions(): Promise<readonly string[]> {
  const { panels } = JSON.parse(await readFile(DASHBOARD, 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll(/\$(?:job|instance)/g, '.+')));
}

describe('the alert rules', () => {
  test('are rules', async () => {
    expect(await promtool('check', 'rules', '--lint=all', '--lint-fatal', RULES)).toMatch(/SUCCESS: 12 rules found/);
  });

  test('fire when they should, and only then', async () => {
    expect(await promtool('test', 'rules', path.join(root, 'test/deploy/prometheus/rules.test.yaml'))).toContain(
      'SUCCESS',
    );
  });
});

test('Prometheus scrapes outrigger local, and a table by the exporter, and has the same of both', async () => {
  const cluster = await openCluster('scraped');
  await cluster.createGroups({ name: 'web', max: 3 });
  cluster.bridge(100);
  const [local, exporter, server] = await freePorts(3);
  const table = [`--table=scraped`, `--dynamodb-endpoint=${serverSet.dynamodbEndpoint}`];
  cluster.outrigger('scraped', ...table, `--address=127.0.0.1:${local}`, '--schedule=1s');
  start('exporter', process.execPath, [
    path.join(root, 'cli/main.ts'),
    'exporter',
    `--cluster=${cluster.name}`,
    `--region=${region}`,
    ...table,
    `--address=127.0.0.1:${exporter}`,
  ]);

  const folder = path.join(serverSet.logs, 'prometheus');
  await mkdir(folder, { recursive: true });
  const config = path.join(folder, 'prometheus.yml');
  const scrape = (job_name: string, port: number | undefined) => ({
    job_name,
    static_configs: [{ targets: [`127.0.0.1:${port}`] }],
  });
  await writeFile(
    config,
    stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [RULES],
      scrape_configs: [scrape('local', local), scrape('exporter', exporter)],
    }),
  );
  await promtool('check', 'config', config);
  start('prometheus', path.join(prometheus, 'prometheus'), [
    `--config.file=${config}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${server}`,
  ]);
  const ask = async (what: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${server}/api/v1/${what}`);
    return ((await response.json()) as { readonly data: unknown }).data;
  };
  /** The values of an expression, by job. */
  const byJob = async (expression: string): Promise<Readonly<Record<string, number>>> => {
    const { result } = (await ask(`query?query=${encodeURIComponent(expression)}`)) as {
      readonly result: readonly {
        readonly metric: { readonly job: string };
        readonly value: readonly [number, string];
      }[];
    };
    return Object.fromEntries(result.map(({ metric, value: [, value] }) => [metric.job, Number(value)]));
  };

  await expect.poll(() => byJob('up').catch(() => ({}))).toEqual({ local: 1, exporter: 1 });
  await cluster.createDeployment('web', 3, { cpuMilli: 900, memoryMib: 500 });
  await cluster.untilRunning(3);
  for (const [metric, value] of [
    ['cluster_autoscaler_nodes_count{state="ready"}', 2],
    ['cluster_autoscaler_node_group_target_count', 2],
    ['cluster_autoscaler_node_group_max_count', 3],
    ['cluster_autoscaler_unschedulable_pods_count', 0],
  ] as const) {
    await expect.poll(() => byJob(metric)).toEqual({ local: value, exporter: value });
  }
  const names = await ask(`label/__name__/values?match[]=${encodeURIComponent('{job="exporter", __name__=~"c.*"}')}`);
  expect(STORED_METRICS).toEqual(expect.arrayContaining(names as string[]));
  for (const expression of await panelExpressions()) {
    const answer = await ask(`query?query=${encodeURIComponent(expression)}`);
    expect({ expression, answer }).toMatchObject({ expression, answer: { resultType: 'vector' } });
  }
  const { groups } = (await ask('rules')) as {
    readonly groups: readonly { readonly rules: readonly { readonly health: string; readonly state: string }[] }[];
  };
  expect(new Set(groups.flatMap(({ rules }) => rules.map(({ health }) => health)))).toEqual(new Set(['ok']));
  expect(groups.flatMap(({ rules }) => rules).filter(({ state }) => state === 'firing')).toEqual([]);
});
