import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
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
import { delivered, eventsAbout } from './template/instance-events.ts';
import { plain, withoutActions, withoutPermissions } from './template/mutants.ts';
import { usedIn } from './template/parts.ts';
import { objectsIn } from './template/objects.ts';
import { newRecords, type Records } from './template/records.ts';
import { createPod, type Ground, instanceOf, ticking, untilNoticed, untilWeb } from './template/run.ts';
import { iamOf } from './template/iam.ts';
import { resourcesOf, type Synthesized, synthesize } from './template/synthesize.ts';

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

const APPLYING = {
  name: 'applying',
  mode: 'act',
  webhook: 'httpApi',
  // As few sandboxes as that: a burst of calls would start as many processes.
  reservedConcurrency: 2,
  drains: 'schedule',
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
  const agent = new Agent({ ca: inject('certificate').ca, keepAlive: true, maxSockets: 50 });
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

/** Of the webhook of the stack that applies its manifests. */
async function tokenIn(kube: Kube): Promise<string> {
  const { webhooks } = await kube.get<{
    readonly webhooks: readonly { readonly clientConfig: { readonly url: string } }[];
  }>(`/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/outrigger-applying`);
  return new URL(webhooks[0]!.clientConfig.url).pathname.split('/')[1]!;
}

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
  await ticking(deployment, async () => expect(await size()).toBe(1));
  await untilWeb(cluster, 2);
  expect(records.kube.map(({ attributes }) => attributes.resource)).toContain('pods/eviction');

  // The drain ends when the node is gone, and has others begin.
  await vi.waitFor(() => expect(callsOf(records, 'Drain')).toContain('lambda:InvokeFunction'), {
    timeout: PATIENCE_MS,
  });
  for (const [event] of eventsAbout(await instanceOf(cluster, 'applying-web-a')).slice(0, 3)) {
    await triggers.publish(delivered(event));
  }
  await vi.waitFor(() => expect(callsOf(records, 'Wake')).toContain('dynamodb:DeleteItem'), { timeout: PATIENCE_MS });
  await lambda.settled();
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

const ELSEWHERE = {
  name: 'elsewhere',
  mode: 'act',
  webhook: 'none',
  role: 'arn:aws:iam::210987654321:role/outrigger',
  externalId: 'of-this-stack',
  vpc: { vpcId: 'vpc-0a1b2c3d', subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
  options,
};
const elsewhere = synthesize(ELSEWHERE, bundles);
/** What was asked for in the run below: the tables after it go by that. */
let assumed: Pick<Deployment, 'records' | 'resolve' | 'iam'> | null = null;

/** Services whose calls are about what is in the account of the cluster. */
const OF_THE_CLUSTER = /^(?:autoscaling|eks|ec2:(?!\w*(?:NetworkInterface|PrivateIpAddresses|DescribeSubnets)))/;

test('functions in a VPC scale a cluster in another account, by a role that its outputs describe', async () => {
  const cluster = await openCluster('elsewhere');
  const { kube, name } = cluster;
  const deployment = await deployTemplate(elsewhere, cluster, {}, {});
  onTestFinished(() => deployment.stop());
  onTestFinished(await applyRoles(kube, deployment.output('Rbac')));
  const { records } = deployment;
  assumed = deployment;
  await cluster.createGroups(WEB);
  cluster.bridge(100);
  const size = async (): Promise<number | undefined> => (await cluster.sizes())['elsewhere-web-a'];

  await cluster.createDeployment('web', 1, { cpuMilli: 900, memoryMib: 500 });
  await ticking(deployment, async () => expect(await size()).toBe(1));
  await untilWeb(cluster, 1);
  await untilNoticed({ deployment }, await instanceOf(cluster, 'elsewhere-web-a'));
  await kube.patch(`/apis/apps/v1/namespaces/${name}/deployments/web`, { spec: { replicas: 0 } });
  await untilWeb(cluster, 0);
  await ticking(deployment, async () => expect(await size()).toBe(0));

  const callers = records.aws.filter(({ request }) => OF_THE_CLUSTER.test(request.action));
  expect(new Set(callers.map(({ principal }) => principal))).toEqual(new Set(['RoleOfTheCluster']));
  expect(new Set(records.kube.map(({ role }) => role))).toEqual(new Set(['RoleOfTheCluster']));
  const asked = records.aws.filter(({ request }) => request.action === 'sts:AssumeRole');
  expect(new Set(asked.flatMap(({ principal }) => (principal?.endsWith('.com') ? [] : [plain(principal!)])))).toEqual(
    new Set(['WakeRole', 'ScaleUpRole', 'ScaleDownRole', 'DrainRole', 'ActuateRole']),
  );
  await vi.waitFor(() => expect(deployment.executions).toMatchObject([{ status: 'SUCCEEDED' }]), {
    timeout: PATIENCE_MS,
  });
  expect([...records.problems]).toEqual([]);
  expect(records.aws.filter(({ allowed }) => !allowed)).toEqual([]);
});

describe('a function of another account is refused without', () => {
  const own = withoutActions(elsewhere.template).filter(
    ({ name, effect }) => effect === 'Allow' && /: (?:sts:AssumeRole on arn|ec2:)/.test(name),
  );
  test.each(own.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    expect(await isKilled(elsewhere.template, mutant, assumed!.records.aws, assumed!.resolve)).toBe(true);
  });

  test.each(['of-another-stack', null])('the external ID: %s', async (id) => {
    const { iam } = assumed!;
    const role = iam.roles.find(({ arn }) => arn === ELSEWHERE.role)!;
    const context = (given: string | null) => (given === null ? {} : { 'sts:ExternalId': given });
    const callers = iam.roles.filter((one) => /^(?:Wake|Scale|Drain|Actuate)/.test(one.id));
    expect(callers).toHaveLength(5);
    for (const { id: caller } of callers) {
      expect(await iam.mayAssume(caller, role, context(ELSEWHERE.externalId))).toBe(true);
      expect(await iam.mayAssume(caller, role, context(id))).toBe(false);
    }
  });
});

describe('the code of a function in a VPC may make no network interfaces because of', () => {
  const denying = withoutActions(elsewhere.template).filter(({ name }) => name.startsWith('NetworkInterfaces'));
  test.each(denying.map((mutant) => [mutant.name, mutant] as const))('%s', async (name, mutant) => {
    const { resolve } = assumed!;
    const action = /refusing (\S+)/.exec(name)![1]!;
    const resource = action.includes('Describe') ? '*' : `arn:aws:ec2:${region}:${ACCOUNT}:network-interface/eni-1`;
    const [whole, without] = [elsewhere.template, mutant.template].map((each) =>
      iamOf(ACCOUNT, each, resolve, newRecords()),
    );
    for (const { id, arn } of assumedFunctions()) {
      const context = { 'lambda:SourceFunctionArn': arn };
      expect(await whole!.judge(id, { action, resource, context })).toBe(false);
      expect(await without!.judge(id, { action, resource, context })).toBe(true);
    }
  });
});

/** Of the functions in the VPC their ARNs, with the logical ids of their roles. */
const assumedFunctions = (): readonly { readonly id: string; readonly arn: string }[] =>
  resourcesOf(elsewhere.template, 'AWS::Lambda::Function').flatMap(([id, { Properties = {} }]) => {
    const { Role, VpcConfig } = Properties as { readonly Role: unknown; readonly VpcConfig?: object };
    const { resolve, iam } = assumed!;
    const arn = String(resolve({ 'Fn::GetAtt': [id, 'Arn'] }));
    return VpcConfig === undefined ? [] : [{ id: iam.roleByArn(String(resolve(Role))).id, arn }];
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
  const webhook = deployment.output('Webhook').replaceAll('TOKEN', TOKEN);
  onTestFinished(await applyWebhook(kube, webhook));
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
