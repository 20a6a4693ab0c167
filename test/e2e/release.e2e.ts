import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { V1Node } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { FORMATS } from '../../providers/dynamodb/migrations.ts';
import { hashOfToken, newToken } from '../../providers/kubernetes/webhook-token.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { serverSet } from './server-set.ts';
import { ensureServers } from './servers/cache.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import type { Deployment } from './template/deployment.ts';
import type { Template } from './template/synthesize.ts';
import { applyRoles, applyWebhook, deployTemplate } from './template/ground.ts';
import { type Edit, openReleases, type Release, type Releases } from './template/released.ts';
import { scanning } from './template/run.ts';
import { moduleValues, terraformProgram } from './template/terraform-module.ts';

const execute = promisify(execFile);
const { helm } = await ensureServers(['helm']);
const terraform = await terraformProgram();

let releases: Releases;
/** A release of this clone. */
let release: Release;

beforeAll(async () => {
  releases = await openReleases();
  release = await releases.build('0.9.0');
});
afterAll(() => releases.remove());

/** Nodes go as soon as they are not needed. Terraform sorts the options by name. */
const OPTIONS = {
  nodeDeleteDelayAfterTaint: '1s',
  scaleDownDelayAfterAdd: '0s',
  scaleDownDelayAfterDelete: '0s',
  scaleDownUnneededTime: '1s',
};
const TOKEN = newToken();

const parametersOf = (cluster: string): Readonly<Record<string, string>> => ({
  ClusterName: cluster,
  CodeBucket: 'code',
  CodePrefix: 'outrigger/',
  Mode: 'act',
  Options: JSON.stringify(OPTIONS),
  WebhookTokenHashes: hashOfToken(TOKEN),
});

/** Deploys the template of a release, and a node group that is empty. */
async function deployed(name: string): Promise<{ readonly cluster: E2eCluster; readonly deployment: Deployment }> {
  const cluster = await openCluster(name);
  await cluster.createGroups({ name: 'web' });
  cluster.bridge(100);
  const parameters = parametersOf(name);
  const deployment = await deployTemplate(release.stack(parameters), cluster, {}, parameters);
  onTestFinished(() => deployment.stop());
  return { cluster, deployment };
}

/** Runs Helm in the folder of the release, as an administrator of the cluster. */
const runHelm = (...args: readonly string[]) =>
  execute(path.join(helm, 'helm'), [...args, '--namespace=kube-system', `--kubeconfig=${serverSet.kubeconfig}`], {
    cwd: release.folder,
  });

/** The address of the webhook, up to the token. */
function addressOf(deployment: Deployment): string {
  const [, address] = /"url":\s*"([^"]*\/)TOKEN\//.exec(deployment.output('Webhook'))!;
  return deployment.reachable(address!);
}

/** Applies the manifests of the release, with values in place of their placeholders. */
async function applyManifests({ kube, name }: E2eCluster, deployment: Deployment): Promise<void> {
  const [roles, webhook] = ['rbac-act.yaml', 'webhook.yaml'].map((file) =>
    readFileSync(path.join(release.folder, file), 'utf8')
      .replaceAll('https://ADDRESS/TOKEN/', `${addressOf(deployment)}${TOKEN}/`)
      .replaceAll('CLUSTER', name),
  );
  const items = parseAllDocuments(roles!).map((document) => document.toJS() as unknown);
  onTestFinished(await applyRoles(kube, JSON.stringify({ items })));
  onTestFinished(await applyWebhook(kube, JSON.stringify(parse(webhook!))));
}

/** Installs the chart of the release by Helm. The token is in a Secret. */
async function installChart({ kube, name }: E2eCluster, deployment: Deployment): Promise<void> {
  const secrets = '/api/v1/namespaces/kube-system/secrets';
  await kube.create(secrets, { metadata: { name: 'outrigger-webhook' }, stringData: { token: TOKEN } });
  onTestFinished(() => kube.remove(`${secrets}/outrigger-webhook`));
  const values = {
    cluster: name,
    mode: 'act',
    'webhook.url': addressOf(deployment),
    'webhook.existingSecret.name': 'outrigger-webhook',
  };
  const set = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  await runHelm('upgrade', '--install', 'outrigger', 'chart', '--set', set.join(','));
  onTestFinished(async () => {
    await runHelm('uninstall', 'outrigger');
  });
}

/** Terraform evaluates the expressions of the module without providers, and so without an account. */
test('the Terraform module of a release deploys its template with these parameters, and uploads its code', async () => {
  const variables = {
    cluster_name: 'a_b',
    code_bucket: 'code',
    code_prefix: 'outrigger/',
    mode: 'act',
    options: OPTIONS,
    webhook_token_hashes: [hashOfToken(TOKEN)],
  };
  const values = await moduleValues(terraform, path.join(release.folder, 'terraform'), variables);
  expect(values).toMatchObject({
    name: 'Outrigger-a-b',
    code: readdirSync(path.join(release.folder, 'functions')).toSorted(),
  });
  const { template } = release.stack(parametersOf('a_b'));
  expect({ ...defaultsOf(template), ...values.parameters }).toEqual({
    ...defaultsOf(template),
    ...parametersOf('a_b'),
  });
  await expect(
    moduleValues(terraform, path.join(release.folder, 'terraform'), { ...variables, mode: 'watch' }),
  ).rejects.toMatchObject({ stderr: expect.stringContaining('Must be observe or act.') as string });
});

const defaultsOf = ({ Parameters = {} }: Template): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(Parameters).flatMap(([name, { Default }]) => (Default === undefined ? [] : [[name, Default]])),
  );

test('a release alone scales a cluster up at once, and down by its schedules', async () => {
  const { cluster, deployment } = await deployed('released');
  await installChart(cluster, deployment);

  // No schedule fires: the webhook alone tells of the pods. The API server needs a moment to call a new webhook.
  let pods = 0;
  await vi.waitFor(
    async () => {
      pods += 1;
      await cluster.createDeployment(`web-${pods}`, 1, { cpuMilli: 900, memoryMib: 500 });
      expect(deployment.records.aws.map(({ request }) => request.action)).toContain('lambda:InvokeFunctionUrl');
    },
    { timeout: PATIENCE_MS, interval: 1_000 },
  );
  await cluster.untilRunning(pods);
  expect(await cluster.sizes()).toEqual({ 'released-web-a': Math.ceil(pods / 2) });

  const deployments = `/apis/apps/v1/namespaces/${cluster.name}/deployments`;
  for (let one = 1; one <= pods; one += 1) await cluster.kube.remove(`${deployments}/web-${one}`);
  await scanning(deployment, async () => expect(await cluster.sizes()).toEqual({ 'released-web-a': 0 }));
  await vi.waitFor(async () => expect(await cluster.kube.list<V1Node>('/api/v1/nodes')).toEqual([]), {
    timeout: PATIENCE_MS,
  });
  expect(deployment.records.problems).toEqual([]);
});

const NEWER = FORMATS.state + 1;

/** Edits of a release that writes the state in a newer format. */
const NEWER_FORMAT: readonly Edit[] = [
  ['providers/dynamodb/migrations.ts', `state: ${FORMATS.state},`, `state: ${NEWER},`],
  [
    'providers/dynamodb/migrations.ts',
    '  state: {\n',
    `  state: {\n    ${FORMATS.state}: (item) => ({ ...item, schema: ${NEWER} }),\n`,
  ],
];

/** Lines of the log of the function ScaleUp. */
const scaleUpLog = (): string =>
  readdirSync(serverSet.logs)
    .filter((file) => file.startsWith('ScaleUp'))
    .map((file) => readFileSync(path.join(serverSet.logs, file), 'utf8'))
    .join('');

/** Number of times that the older release has refused the state of the newer one. */
const refusals = (): number =>
  scaleUpLog().split(`was written in format ${NEWER} by a newer version; this one reads ${FORMATS.state}`).length - 1;

test('a newer release goes on with the state of an older one, which refuses the format of the newer one', async () => {
  const newer = await releases.build('0.10.0', ...NEWER_FORMAT);
  const { cluster, deployment } = await deployed('upgraded');
  await applyManifests(cluster, deployment);
  const parameters = parametersOf(cluster.name);
  const growTo = async (replicas: number): Promise<void> => {
    await cluster.createDeployment(`web-${replicas}`, 2, { cpuMilli: 900, memoryMib: 500 });
    await scanning(deployment, async () => expect(await cluster.sizes()).toEqual({ 'upgraded-web-a': replicas }));
    await cluster.untilNodes(replicas);
  };
  await growTo(1);
  await deployment.updateTo(newer.stack(parameters));
  await growTo(2);

  await deployment.updateTo(release.stack(parameters));
  // An evaluation of the newer release that was under way has ended by then.
  await scanning(deployment, () => expect(refusals()).toBeGreaterThan(0));
  await cluster.createDeployment('web-3', 2, { cpuMilli: 900, memoryMib: 500 });
  const before = refusals();
  await scanning(deployment, () => expect(refusals()).toBeGreaterThan(before + 1));
  expect(await cluster.sizes()).toEqual({ 'upgraded-web-a': 2 });

  await deployment.updateTo(newer.stack(parameters));
  await scanning(deployment, async () => expect(await cluster.sizes()).toEqual({ 'upgraded-web-a': 3 }));
  await cluster.untilRunning(6);
});
