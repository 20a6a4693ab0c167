import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { type E2eCluster, openCluster } from './cluster.ts';
import { region } from './servers/aws-clients.ts';
import type { Kube } from './servers/kube.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { ACCOUNT, type Deployment } from './template/deployment.ts';
import { accessEntriesOf } from './template/eks.ts';
import { applyRoles, applyWebhook, buildBundles, deployTemplate, makeReachable } from './template/ground.ts';
import { isKilled } from './template/killed.ts';
import { plain, withoutActions, withoutPermissions } from './template/mutants.ts';
import { usedIn } from './template/parts.ts';
import { newRecords, type Records } from './template/records.ts';
import { createPod, type Ground, ticking, untilWeb } from './template/run.ts';
import { type Synthesized, synthesize } from './template/synthesize.ts';

const bundles = await buildBundles();
/** Nodes go as soon as they are not needed. */
const options = {
  scaleDownUnneededTime: '1s',
  scaleDownDelayAfterAdd: '0s',
  scaleDownDelayAfterDelete: '0s',
  nodeDeleteDelayAfterTaint: '1s',
};
const WEB = { name: 'web', instanceType: 'm5.large', zones: ['us-east-1a'], min: 0, max: 5, desired: 0 };

/** Actions on AWS that change what a cluster consists of. */
const CHANGES = /^(autoscaling|ec2):(?!Describe|Get)/;

const COLLECTIONS = [
  'rbac.authorization.k8s.io/v1/clusterroles',
  'rbac.authorization.k8s.io/v1/clusterrolebindings',
  'rbac.authorization.k8s.io/v1/namespaces/kube-system/roles',
  'rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings',
  'flowcontrol.apiserver.k8s.io/v1/flowschemas',
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
];

/** What the cluster has of the kinds that Outrigger applies: `resource/name`. */
async function objectsIn(kube: Kube): Promise<readonly string[]> {
  const names = COLLECTIONS.map(async (collection) => {
    const objects = await kube.list(`/apis/${collection}`);
    return objects.map(({ metadata }) => `${collection.split('/').at(-1)}/${metadata?.name}`);
  });
  return (await Promise.all(names)).flat().sort();
}

/** What a removal and a change of size need. */
const RIGHTS_TO_ACT = [
  'autoscaling:SetDesiredCapacity',
  'autoscaling:TerminateInstanceInAutoScalingGroup',
  'create pods/eviction',
] as const;

/** For each of those rights a role that has it, or `null`. */
async function rolesThatMayAct(
  { iam, resolve }: Deployment,
  { kube, name }: E2eCluster,
  { template }: Synthesized,
): Promise<readonly (string | null)[]> {
  const resource = `arn:aws:autoscaling:${region}:${ACCOUNT}:autoScalingGroup:1:autoScalingGroupName/${name}-web-a`;
  const context = {
    'aws:ResourceTag/k8s.io/cluster-autoscaler/enabled': 'true',
    [`aws:ResourceTag/k8s.io/cluster-autoscaler/${name}`]: 'owned',
  };
  const evicting = { verb: 'create', resource: 'pods', subresource: 'eviction', namespace: name };
  const first = async (may: (role: string) => Promise<boolean>): Promise<string | null> => {
    for (const { id } of iam.roles) if (await may(id)) return id;
    return null;
  };
  const entries = accessEntriesOf(template, resolve, iam).filter(({ groups }) => !groups.includes('system:masters'));
  const mayEvict = async (groups: readonly string[]): Promise<boolean> => {
    const spec = { user: 'anybody', groups, resourceAttributes: evicting };
    const review = await kube.create<{ readonly status: { readonly allowed: boolean } }>(
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      { spec },
    );
    return review.status.allowed;
  };
  return [
    await first((role) => iam.judge(role, { action: RIGHTS_TO_ACT[0], resource, context })),
    await first((role) => iam.judge(role, { action: RIGHTS_TO_ACT[1], resource, context })),
    await first((role) => mayEvict(entries.find((entry) => entry.role === role)?.groups ?? [])),
  ];
}

/** Actions that the role of a function asked for. */
const callsOf = ({ aws }: Records, of: string): readonly string[] =>
  aws.filter(({ principal }) => principal?.startsWith(`${of}Role`)).map(({ request }) => request.action);

/** The logs of all sandboxes of a function. */
function saidBy({ lambda }: Deployment, of: string): string {
  const { id } = lambda.functions.find((each) => plain(each.id) === of)!;
  const logs = readdirSync(inject('logs')).filter((file) => file.startsWith(`${id}-`));
  return logs.map((file) => readFileSync(path.join(inject('logs'), file), 'utf8')).join('');
}

/** Creates pods that no node is for until the webhook has notified of one: the API server takes a moment to heed a new one. */
async function untilNotified({
  cluster: { kube, name },
  deployment: { lambda },
}: Pick<Ground, 'cluster' | 'deployment'>): Promise<void> {
  let pods = 0;
  await vi.waitFor(
    async () => {
      pods += 1;
      await createPod(kube, name, `unhelped-${pods}`, { nodeSelector: { kind: 'none' } });
      expect([...lambda.invocations.keys()]).toContainEqual(expect.stringMatching(/^Ingest/));
    },
    { timeout: PATIENCE_MS, interval: 1_000 },
  );
}

const applying = synthesize(
  {
    name: 'applying',
    mode: 'act',
    webhook: 'httpApi',
    drains: 'schedule',
    applyManifests: true,
    flowSchema: true,
    options,
  },
  bundles,
);

/** What was asked for in the run below: the table after it goes by that. */
let applied: Pick<Deployment, 'records' | 'resolve'> = { records: newRecords(), resolve: (value) => value };

test('a stack that applies its manifests is notified through an HTTP API, drains by messages, and leaves nothing in the cluster', async () => {
  const cluster = await openCluster('applying');
  const { kube, name } = cluster;
  const before = await objectsIn(kube);
  const deployment = await deployTemplate(applying, cluster, {}, {});
  onTestFinished(() => deployment.stop());
  const { records, triggers, lambda } = deployment;
  applied = deployment;
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
  await ticking(deployment, async () => expect(await size()).toBe(1));
  await untilWeb(cluster, 2);
  expect(records.kube.map(({ attributes }) => attributes.resource)).toContain('pods/eviction');

  // The drain ends when the node is gone, and has others begin.
  await vi.waitFor(() => expect(callsOf(records, 'Drain')).toContain('lambda:InvokeFunction'), {
    timeout: PATIENCE_MS,
  });
  await triggers.publish({ source: 'aws.ec2', 'detail-type': 'EC2 Spot Instance Interruption Warning' });
  await lambda.settled();
  expect([...records.problems]).toEqual([]);
  expect(await rolesThatMayAct(deployment, cluster, applying)).toEqual(
    RIGHTS_TO_ACT.map(() => expect.stringMatching(/^(Actuate|Drain)Role/)),
  );

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

const TOKEN = 'a-token-of-the-webhook';
const observing = synthesize({ name: 'observing', mode: 'observe', options }, bundles);

test('a stack that observes says what it would do, has no right to do it, and does nothing', async () => {
  const cluster = await openCluster('observing');
  const { kube, name } = cluster;
  const deployment = await deployTemplate(observing, cluster, {}, { WebhookTokenHashes: hash('sha256', TOKEN) });
  onTestFinished(() => deployment.stop());
  const { records } = deployment;
  onTestFinished(await applyRoles(kube, deployment.output('Rbac')));
  const webhook = deployment.output('Webhook').replace('TOKEN', TOKEN);
  onTestFinished(await applyWebhook(kube, webhook, deployment.authority));
  await cluster.createGroups({ ...WEB, desired: 1 });
  cluster.bridge(100);
  const [node] = await cluster.untilNodes(1);
  const wouldRemove = `remove ${node!.metadata!.name} (empty)`;
  await ticking(deployment, () => expect(saidBy(deployment, 'ScaleDown')).toContain(wouldRemove));

  await untilNotified({ cluster, deployment });
  await cluster.createDeployment('web', 3, { cpuMilli: 900, memoryMib: 500 });
  await vi.waitFor(() => expect(saidBy(deployment, 'ScaleUp')).toContain('scale up observing-web-a 1 → 2'), {
    timeout: PATIENCE_MS,
  });
  // What was decided would be carried out now.
  const said = saidBy(deployment, 'ScaleUp').length;
  await ticking(deployment, () => expect(saidBy(deployment, 'ScaleUp').length).toBeGreaterThan(said));

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
