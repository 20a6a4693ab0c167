import { hash } from 'node:crypto';
import { Agent, request } from 'node:https';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openCluster } from './cluster.ts';
import type { Kube } from './servers/kube.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import type { Deployment } from './template/deployment.ts';
import { buildBundles, deployTemplate, makeReachable } from './template/ground.ts';
import { isKilled } from './template/killed.ts';
import { delivered, eventsAbout } from './template/instance-events.ts';
import { plain, withoutActions, withoutPermissions } from './template/mutants.ts';
import { usedIn } from './template/parts.ts';
import { objectsIn } from './template/objects.ts';
import { newRecords } from './template/records.ts';
import { instanceOf, scanning, untilWeb } from './template/run.ts';
import { synthesize } from './template/synthesize.ts';
import { serverSet } from './server-set.ts';
import { options, WEB, RIGHTS_TO_ACT, rolesThatMayAct, callsOf, untilNotified } from './template/variants.ts';

const bundles = await buildBundles();
const APPLYING = {
  name: 'applying',
  mode: 'act',
  webhook: 'httpApi',
  // As few sandboxes as that: a burst of calls would start as many processes.
  reservedConcurrency: 2,
  applyManifests: true,
  flowSchema: true,
  options,
};
const applying = synthesize(APPLYING, bundles);
/** The same without a priority level, and with another token. */
const changed = synthesize({ ...APPLYING, flowSchema: false, webhookTokenVersion: 2 }, bundles);

/** Calls the webhook of a stack this many times at once, without a token; gives how often each status was answered. */
async function callAtOnce({ reachable, output }: Deployment, times: number): Promise<Readonly<Record<number, number>>> {
  const { webhooks } = JSON.parse(output('Webhook')) as {
    readonly webhooks: readonly { readonly clientConfig: { readonly url: string } }[];
  };
  const url = new URL(reachable(webhooks[0]!.clientConfig.url));
  const agent = new Agent({ ca: serverSet.certificate.ca, keepAlive: true, maxSockets: 50 });
  const call = () =>
    new Promise<number>((resolve, reject) => {
      const outgoing = request(url, { method: 'POST', agent }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      outgoing.once('error', reject);
      outgoing.end('{}');
    });
  const statuses = await Promise.all(Array.from({ length: times }, call));
  agent.destroy();
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const upTo = (most: number): readonly number[] => Array.from({ length: most }, (_, i) => i + 1);

/** The webhook's token, of the stack that applies its manifests. */
async function tokenIn(kube: Kube): Promise<string> {
  const { webhooks } = await kube.get<{
    readonly webhooks: readonly { readonly clientConfig: { readonly url: string } }[];
  }>(`/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/outrigger-applying`);
  return new URL(webhooks[0]!.clientConfig.url).pathname.split('/')[1]!;
}

/** Requests of the run below: the table after it goes by them. */
let applied: Pick<Deployment, 'records' | 'resolve'> = { records: newRecords(), resolve: (value) => value };

test('a stack that applies its manifests is notified through an HTTP API, drains by messages, and leaves nothing in the cluster', async () => {
  const cluster = await openCluster('applying');
  const { kube, name } = cluster;
  const before = await objectsIn(kube);
  const deployment = await deployTemplate(applying, cluster, {}, {});
  onTestFinished(() => deployment.stop());
  const { records, triggers, lambda } = deployment;
  applied = deployment;
  const token = await tokenIn(kube);
  expect((await objectsIn(kube)).filter((object) => !before.includes(object))).toEqual([
    'clusterrolebindings/outrigger',
    'clusterrolebindings/outrigger-drain',
    'clusterroles/outrigger',
    'clusterroles/outrigger-drain',
    'flowschemas/outrigger',
    'prioritylevelconfigurations/outrigger',
    'rolebindings/outrigger',
    'roles/outrigger',
    'validatingwebhookconfigurations/outrigger-applying',
  ]);
  await makeReachable(kube, 'outrigger-applying', deployment);
  await cluster.createGroups(WEB);
  cluster.bridge(100);
  const size = async (): Promise<number | undefined> => (await cluster.sizes())['applying-web-a'];

  await untilNotified({ cluster, deployment });
  await cluster.createDeployment('web', 3, { cpuMilli: 900, memoryMib: 500 });
  await untilWeb(cluster, 3);
  expect(await size()).toBe(2);

  await kube.patch(`/apis/apps/v1/namespaces/${name}/deployments/web`, { spec: { replicas: 2 } });
  await untilWeb(cluster, 2);
  await scanning(deployment, async () => expect(await size()).toBe(1));
  await untilWeb(cluster, 2);
  expect(records.kube.map(({ attributes }) => attributes.resource)).toContain('pods/eviction');

  // The drain ends when the node is gone, and has others begin.
  await vi.waitFor(() => expect(callsOf(records, 'Drain')).toContain('lambda:InvokeFunction'), {
    timeout: PATIENCE_MS,
  });
  for (const [event] of eventsAbout(await instanceOf(cluster, 'applying-web-a')).slice(0, 4)) {
    await triggers.publish(delivered(event));
  }
  await vi.waitFor(() => expect(callsOf(records, 'Wake')).toContain('dynamodb:DeleteItem'), { timeout: PATIENCE_MS });
  await lambda.settled();
  // Each round of the drain is one invocation more of its chain, and scale-down is the last.
  const chainOf = (name: string): number => [...deployment.lambda.chains].find(([id]) => plain(id) === name)?.[1] ?? 0;
  expect(chainOf('Drain')).toBeGreaterThan(4);
  expect(chainOf('ScaleDown')).toBeGreaterThan(chainOf('Drain'));
  expect([...records.problems]).toEqual([]);
  expect(await rolesThatMayAct(deployment, cluster, applying)).toEqual(
    RIGHTS_TO_ACT.map(() => expect.stringMatching(/^(Actuate|Drain)Role/)),
  );

  /** How many of so many calls are let through; the API server may make some, too. */
  const admittedOf = async (calls: number): Promise<number> => {
    const { 429: refused = 0 } = await callAtOnce(deployment, calls);
    return calls - refused;
  };
  deployment.throttleTime.stop();
  const admitted = [await admittedOf(200)];
  deployment.throttleTime.pass(1_000);
  admitted.push(await admittedOf(200));
  expect(admitted[0]).toBeOneOf(upTo(100));
  expect(admitted[1]).toBeOneOf(upTo(50));
  await lambda.settled();

  await deployment.updateCustomResources(changed.template);
  const next = await tokenIn(kube);
  expect(next).not.toBe(token);
  // The one before is accepted as well, until every API server has the new one.
  expect(deployment.output('AcceptedTokenHashes')).toBe([next, token].map((each) => hash('sha256', each)).join(','));
  const objects = await objectsIn(kube);
  expect(objects.filter((object) => /flowschemas|prioritylevel/.test(object) && !before.includes(object))).toEqual([]);
  expect(objects).toContain('clusterroles/outrigger-drain');

  await deployment.deleteCustomResources();
  expect(await objectsIn(kube)).toEqual(before);
  expect(usedIn(applying.template).filter((id) => !records.uses.has(id))).toEqual([]);
});

/** Rights that no call of the run needs: the CDK grants them to consumers of a queue. */
const NOT_NEEDED = /: sqs:(GetQueueUrl|ChangeMessageVisibility) /;
/** The rights that only this stack has. */
const OWN_RIGHTS = [...withoutActions(applying.template), ...withoutPermissions(applying.template)].filter(
  ({ name, effect }) => effect === 'Allow' && /^Manifests|:Drains|WebhookApi/.test(name),
);

describe('a call is refused without', () => {
  test.each(OWN_RIGHTS.map((mutant) => [mutant.name, mutant] as const))('%s', async (name, mutant) => {
    expect(await isKilled(applying.template, mutant, applied.records.aws, applied.resolve)).toBe(
      !NOT_NEEDED.test(name),
    );
  });
});
