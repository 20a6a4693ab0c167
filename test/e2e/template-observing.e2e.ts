import path from 'node:path';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openCluster } from './cluster.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import type { Deployment } from './template/deployment.ts';
import { applyRoles, applyWebhook, buildBundles, deployTemplate } from './template/ground.ts';
import { plain } from './template/mutants.ts';
import { scanning } from './template/run.ts';
import { synthesize } from './template/synthesize.ts';
import { serverSet } from './server-set.ts';
import { options, WEB, RIGHTS_TO_ACT, rolesThatMayAct, untilNotified } from './template/variants.ts';

const bundles = await buildBundles();
/** Actions on AWS that change what a cluster consists of. */
const CHANGES = /^(autoscaling|ec2):(?!Describe|Get)/;

/** The logs of all sandboxes of a function. */
function saidBy({ lambda }: Deployment, of: string): string {
  const { id } = lambda.functions.find((each) => plain(each.id) === of)!;
  const logs = readdirSync(serverSet.logs).filter((file) => file.startsWith(`${id}-`));
  return logs.map((file) => readFileSync(path.join(serverSet.logs, file), 'utf8')).join('');
}

const TOKEN = 'a-token-of-the-webhook';
const observing = synthesize({ name: 'observing', mode: 'observe', options }, bundles);

test('a stack that observes says what it would do, has no right to do it, and does nothing', async () => {
  const cluster = await openCluster('observing');
  const { kube, name } = cluster;
  const deployment = await deployTemplate(observing, cluster, {}, { WebhookTokenHashes: hash('sha256', TOKEN) });
  onTestFinished(() => deployment.stop());
  const { records } = deployment;
  onTestFinished(await applyRoles(kube, deployment.output('Rbac')));
  const webhook = deployment.output('Webhook').replaceAll('TOKEN', TOKEN);
  onTestFinished(await applyWebhook(kube, webhook));
  await cluster.createGroups({ ...WEB, desired: 1 });
  cluster.bridge(100);
  const [node] = await cluster.untilNodes(1);
  const wouldRemove = `remove ${node!.metadata!.name} (empty)`;
  await scanning(deployment, () => expect(saidBy(deployment, 'ScaleDown')).toContain(wouldRemove));

  await untilNotified({ cluster, deployment });
  await cluster.createDeployment('web', 3, { cpuMilli: 900, memoryMib: 500 });
  await vi.waitFor(() => expect(saidBy(deployment, 'ScaleUp')).toContain('scale up observing-web-a 1 → 2'), {
    timeout: PATIENCE_MS,
  });
  // The decision would be carried out now.
  const said = saidBy(deployment, 'ScaleUp').length;
  await scanning(deployment, () => expect(saidBy(deployment, 'ScaleUp').length).toBeGreaterThan(said));

  expect(await cluster.sizes()).toEqual({ 'observing-web-a': 1 });
  expect(records.aws.map(({ request }) => request.action).filter((action) => CHANGES.test(action))).toEqual([]);
  const written = records.aws.filter(({ request }) => /^dynamodb:(Put|Update|Delete)/.test(request.action));
  expect(new Set(written.flatMap(({ request }) => request.context['dynamodb:LeadingKeys']))).toEqual(
    new Set([`CLUSTER#${name}/dry-run`]),
  );
  expect(records.kube.filter(({ attributes }) => !['get', 'list', 'watch'].includes(attributes.verb))).toEqual([]);
  expect([...records.problems]).toEqual([]);
  expect(await rolesThatMayAct(deployment, cluster, observing)).toEqual(RIGHTS_TO_ACT.map(() => null));
});
