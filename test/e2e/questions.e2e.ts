import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { V1Pod } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import { openCluster } from './cluster.ts';
import { region, testCredentials } from './servers/aws-clients.ts';
import { serverSet } from './server-set.ts';

const MAIN = new URL('../../cli/main.ts', import.meta.url).pathname;
const run = promisify(execFile);

test('one command each says what would be done now, keeps the moment, and says why a pod of it has no node', async () => {
  const cluster = await openCluster('questions');
  const [group = ''] = await cluster.createGroups({ name: 'm5' });
  await cluster.createDeployment('fits', 1, { cpuMilli: 1_500, memoryMib: 1_024 });
  await cluster.createDeployment('huge', 1, { cpuMilli: 64_000, memoryMib: 1_024 });
  const pods = await cluster.kube.until<V1Pod>(`/api/v1/namespaces/${cluster.name}/pods`, {
    what: 'two pods without a node',
    holds: (all) =>
      all.filter(({ status }) => status?.conditions?.some(({ reason }) => reason === 'Unschedulable')).length === 2,
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'questions-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const answer = async (...args: readonly string[]): Promise<string> => {
    const env = {
      ...process.env,
      AWS_ACCESS_KEY_ID: testCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: testCredentials.secretAccessKey,
    };
    return (await run(process.execPath, [MAIN, ...args], { cwd: folder, env })).stdout;
  };
  const { outriggerKubeconfig: kubeconfig, awsEndpoint } = serverSet;
  const live = [
    `--cluster=${cluster.name}`,
    `--kubeconfig=${kubeconfig}`,
    `--region=${region}`,
    `--aws-endpoint=${awsEndpoint}`,
  ];

  const now = await answer('local', ...live, '--dry-run', '--once');
  expect(now).toMatch(new RegExp(`${group} +0 → 1`));
  expect(now).toContain('Insufficient cpu');

  await answer('snapshot', ...live, '-o', 'cluster.yaml');
  const huge = pods.find(({ metadata }) => metadata?.name?.startsWith('huge'))?.metadata?.name;
  const why = await answer('explain', 'pod', `${cluster.name}/${huge}`, '--scenario', 'cluster.yaml');
  expect(why).toMatch(/asks for 64 CPU/);

  await answer('snapshot', ...live, '--redact', '-o', 'redacted.yaml');
  expect(await readFile(path.join(folder, 'redacted.yaml'), 'utf8')).not.toContain(huge);
  expect(await cluster.sizes()).toEqual({ [group]: 0 });
});
