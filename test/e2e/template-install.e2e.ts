import type { V1Node, V1Taint } from '@kubernetes/client-node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sampleOf } from '../sample.ts';
import { hashOfToken, newToken } from '../../providers/kubernetes/webhook-token.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { connection } from './connection.ts';
import { aDrain } from '../core/drain/one-node-world.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../providers/dynamodb/drains.ts';
import { clusterName } from '../../core/model/values/names.ts';
import { epochMs } from '../../core/model/values/time.ts';
import { createGroups, deleteGroups } from './servers/aws-setup.ts';
import { awsClients, region } from './servers/aws-clients.ts';
import { type Kube, kube as connect } from './servers/kube.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { type Account, openAccount } from './template/account.ts';
import type { Deployment } from './template/deployment.ts';
import { applyRoles, applyWebhook, buildBundles } from './template/ground.ts';
import { objectsIn, removeObjects } from './template/objects.ts';
import { scanning, untilWeb } from './template/run.ts';
import { resourcesOf, synthesize } from './template/synthesize.ts';
import { options, WEB } from './template/variants.ts';
import { serverSet } from './server-set.ts';

const bundles = await buildBundles();
/** Nodes go as soon as they are not needed. */
const settings = { name: 'installed', mode: 'act', options } as const;
const synthesized = synthesize(settings, bundles);

const added = async (kube: Kube, before: readonly string[]): Promise<readonly string[]> =>
  (await objectsIn(kube)).filter((object) => !before.includes(object));

/** Outrigger's taints, not the control plane's for a node that is not ready. */
const isOurs = ({ key }: V1Taint): boolean => key.endsWith('ClusterAutoscaler');

/** State after a command: an interrupted command is compared with an uninterrupted one. */
async function stateOf(
  { stack, tables }: Account,
  { kube, name }: Pick<E2eCluster, 'kube' | 'name'>,
  before: readonly string[],
) {
  const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const { Schedules: schedules, WebhookTokenHashes: hashes = '' } = stack.parameters();
  const objects = await added(kube, before);
  const own = objects.includes(`validatingwebhookconfigurations/outrigger-${name}`)
    ? await kube.get<{ readonly webhooks: readonly { readonly clientConfig: { readonly url: string } }[] }>(
        `${webhooks}/outrigger-${name}`,
      )
    : null;
  const token = own === null ? null : new URL(own.webhooks[0]!.clientConfig.url).pathname.split('/')[1]!;
  const nodes = await kube.list<V1Node>('/api/v1/nodes');
  return {
    stack: stack.status()?.replace('UPDATE', 'CREATE') ?? null,
    schedules,
    // The stack accepts that token and no other.
    accepts: token === null ? null : hashes === hashOfToken(token),
    objects,
    tables: (await tables()).length,
    marked: nodes.filter(({ spec }) => spec?.unschedulable === true || (spec?.taints ?? []).some(isOurs)).length,
  };
}

const INSTALLED = {
  stack: 'CREATE_COMPLETE',
  schedules: 'ENABLED',
  accepts: true,
  objects: [
    'clusterrolebindings/outrigger',
    'clusterrolebindings/outrigger-drain',
    'clusterroles/outrigger',
    'clusterroles/outrigger-drain',
    'rolebindings/outrigger',
    'roles/outrigger',
    'validatingwebhookconfigurations/outrigger-installed',
  ],
  tables: 1,
  marked: 0,
};
const UNINSTALLED = { stack: null, schedules: undefined, accepts: null, objects: [], tables: 0, marked: 0 };

test('what is installed scales a cluster up at once, and down by its schedules; uninstalled, it ends its drains and is gone', async () => {
  const cluster = await openCluster(settings.name);
  const { kube, name } = cluster;
  const before = await objectsIn(kube);
  const account = await openAccount(cluster, settings, synthesized);
  const { stack, commandLine } = account;
  await cluster.createGroups(WEB);
  cluster.bridge(100);
  const heard: string[] = [];
  commandLine.observe = (request) => {
    if (request.startsWith('logs:')) heard.push(stack.parameters()['Schedules']!);
  };

  const installed = await commandLine.run('install', '--yes');
  expect(installed).toMatchObject({
    ended: '0',
    report: { steps: { checks: 'done', stack: 'done', manifests: 'done', webhook: 'done', schedules: 'done' } },
  });
  expect(await stateOf(account, cluster, before)).toEqual(INSTALLED);
  expect(stack.changes).toEqual(['create', 'update Schedules']);
  // The bell rang before the schedules were on.
  expect(new Set(heard)).toEqual(new Set(['DISABLED']));

  // No schedule fires: the webhook alone tells of the pods.
  await cluster.createDeployment('web', 3, { cpuMilli: 900, memoryMib: 500 });
  await untilWeb(cluster, 3);
  expect(await cluster.sizes()).toEqual({ 'installed-web-a': 2 });

  const deployment = stack.deployment()!;
  const release = Promise.withResolvers<void>();
  // A drain that is held keeps the stack from being deleted.
  onTestFinished(() => release.resolve());
  const ending = Promise.withResolvers<void>();
  deployment.interfere(async (_, { operation }, answer) => {
    if (operation === 'TerminateInstanceInAutoScalingGroup') {
      ending.resolve();
      await release.promise;
    }
    return answer();
  });
  await kube.patch(`/apis/apps/v1/namespaces/${name}/deployments/web`, { spec: { replicas: 2 } });
  await untilWeb(cluster, 2);
  const drain = ending.promise.then(() => true);
  await scanning(deployment, async () => expect(await Promise.race([drain, Promise.resolve(false)])).toBe(true));

  commandLine.observe = (request) => {
    // The first look at the drains is over: it waits.
    if (request === 'dynamodb:Query') setTimeout(release.resolve, 1_000);
  };
  const uninstalled = await commandLine.run('uninstall');
  expect(uninstalled.report.texts).toMatchObject({ drains: 'Drains that have ended: 1; that were stopped: 0.' });
  expect(uninstalled.ended).toBe('0');
  expect(await stateOf(account, cluster, before)).toEqual({ ...UNINSTALLED, tables: 1 });
  expect(await cluster.sizes()).toEqual({ 'installed-web-a': 1 });
  // A termination that is held for longer than ten seconds is asked for again, and its instance is in no group by then.
  const problems = deployment.records.problems.filter((problem) => !problem.endsWith('autoScalingGroupName/none'));
  expect(problems).toEqual([]);
  expect(uninstalled.report.notes.join('\n')).toContain(
    `delete-table --region us-east-1 --table-name Outrigger-${name}`,
  );

  const again = await commandLine.run('uninstall', '--delete-table', `--confirm=${name}`);
  expect(again.report.steps).toMatchObject({ schedules: 'unchanged', webhook: 'unchanged', stack: 'unchanged' });
  expect(await stateOf(account, cluster, before)).toEqual(UNINSTALLED);
  await vi.waitFor(async () => expect(await kube.list('/api/v1/nodes')).toHaveLength(1), { timeout: PATIENCE_MS });
});

/** An account of one test's own, with a cluster that has no namespace and no groups. */
async function openBareAccount() {
  const kube = connect(connection());
  const aws = awsClients(serverSet.awsEndpoint);
  const before = await objectsIn(kube);
  onTestFinished(async () => {
    await removeObjects(kube, await added(kube, before));
    await deleteGroups(aws, settings.name);
    aws.destroy();
    kube.close();
  });
  const cluster = { name: settings.name, kube, aws };
  await createGroups(aws, { cluster: settings.name, ...WEB });
  const account = await openAccount(cluster, settings, synthesized);
  return { account, kube, state: () => stateOf(account, cluster, before) };
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const WEBHOOK = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/outrigger-installed';

const INTERRUPTED = {
  ended: '130',
  stderr: expect.stringMatching(/^Interrupted while [a-z].*; the same command goes on from there\.\n$/m),
};

describe('outrigger install, interrupted at the answer to', () => {
  const moments = [
    ['checks', 'lambda:GetAccountSettings'],
    ['stack', 'cdk deploy'],
    ['manifests', `PATCH ${RBAC}/clusterroles/outrigger`],
    ['manifests', `PATCH ${WEBHOOK}`],
    ['webhook', 'POST /api/v1/namespaces/default/events'],
    ['webhook', 'logs:FilterLogEvents'],
    ['schedules', 'cloudformation:UpdateStack'],
  ] as const;
  test.each(sampleOf('installations', moments, 2))(
    '(%s) %s, ends as one that was not, run again',
    async (_, request) => {
      const { account, state } = await openBareAccount();
      const { commandLine, stack } = account;
      commandLine.interruptAt(request);
      expect(await commandLine.run('install', '--yes')).toMatchObject(INTERRUPTED);
      expect(await commandLine.run('install', '--yes')).toMatchObject({ ended: '0' });
      expect(await state()).toEqual(INSTALLED);
      expect(stack.changes.filter((change) => change === 'create')).toHaveLength(1);
      expect(stack.changes.filter((change) => change.includes('Schedules'))).toHaveLength(1);
    },
  );
});

/** An installation just before it is uninstalled, with a tainted node. */
async function installed({ account: { stack }, kube }: Awaited<ReturnType<typeof openBareAccount>>) {
  const token = newToken();
  await stack.deploy({ WebhookTokenHashes: hashOfToken(token) });
  const deployment = stack.deployment()!;
  await applyRoles(kube, deployment.output('Rbac'));
  await applyWebhook(kube, deployment.output('Webhook').replaceAll('TOKEN', token));
  await kube.create('/api/v1/nodes', {
    metadata: { name: 'marked', annotations: { 'outrigger.dev/removal': '1/gone', 'outrigger.dev/cordoned': 'true' } },
    spec: {
      unschedulable: true,
      taints: [
        { key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' },
        { key: 'DeletionCandidateOfClusterAutoscaler', value: '1', effect: 'PreferNoSchedule' },
      ],
    },
  });
  onTestFinished(() => kube.remove('/api/v1/nodes/marked'));
}

/** Stores a drain in the table of a stack, whose driver is lost. */
async function storeDrain(deployment: Deployment): Promise<void> {
  const [[id] = ['']] = resourcesOf(synthesized.template, 'AWS::DynamoDB::GlobalTable');
  const table = String(deployment.resolve({ Ref: id }));
  const client = createDynamoDbClient({ region, endpoint: serverSet.dynamodbEndpoint });
  onTestFinished(() => client.destroy());
  const drains = createDynamoDbDrains({ client, table, onUnreadable: () => {} });
  const stored = { drain: aDrain('drain'), attempt: 1, drivenUntil: epochMs(0) };
  await drains.create(clusterName(settings.name), stored);
}

/** A round that has begun is waited for: for a minute. */
const STOP_DRAINS = 'lambda:PutFunctionConcurrency';

describe('outrigger uninstall, interrupted at the answer to', () => {
  const moments = [
    ['schedules', 'cloudformation:UpdateStack'],
    ['webhook', `DELETE ${WEBHOOK}`],
    ['drains', 'dynamodb:Query'],
    ['drains', STOP_DRAINS],
    ['nodes', 'PATCH /api/v1/nodes/marked'],
    ['manifests', `DELETE ${RBAC}/clusterroles/outrigger`],
    ['stack', 'cloudformation:DeleteStack'],
    ['table', 'dynamodb:UpdateTable'],
    ['table', 'dynamodb:DeleteTable'],
  ] as const;
  test.each(sampleOf('removals', moments, 2))('(%s) %s, ends as one that was not, run again', async (_, request) => {
    const opened = await openBareAccount();
    await installed(opened);
    const { account, state } = opened;
    const { commandLine, stack } = account;
    if (request === STOP_DRAINS) await storeDrain(stack.deployment()!);
    const uninstall = () =>
      commandLine.run('uninstall', '--cancel-drains', '--delete-table', `--confirm=${settings.name}`);
    commandLine.interruptAt(request);
    expect(await uninstall()).toMatchObject(INTERRUPTED);
    expect(await uninstall()).toMatchObject({ ended: '0' });
    expect(await state()).toEqual(UNINSTALLED);
    expect(stack.changes).toEqual(['create', 'update Schedules', 'delete']);
  });
});
