import { DescribeAutoScalingInstancesCommand } from '@aws-sdk/client-auto-scaling';
import type { V1Deployment, V1Node, V1Pod } from '@kubernetes/client-node';
import { hash } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchBudgets } from './budget-watch.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import type { Groups } from './servers/aws-setup.ts';
import { isReady, nodesAtFirstEviction } from './ready.ts';
import { END_DELAY, READY_DELAY } from './servers/kwok-stages.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import type { Deployment } from './template/deployment.ts';
import { applyRoles, buildBundles, deployTemplate } from './template/ground.ts';
import { delivered } from './template/instance-events.ts';
import { holdForHook } from './template/lifecycle-hook.ts';
import { instanceOf, scanning, untilDrained } from './template/run.ts';
import { synthesize } from './template/synthesize.ts';

const bundles = await buildBundles();
const SPOT = { 'k8s.io/cluster-autoscaler/node-template/label/eks.amazonaws.com/capacityType': 'SPOT' };

interface Ground {
  readonly cluster: E2eCluster;
  readonly deployment: Deployment;
}

/** Deploys the stack beside these groups; the instances of `never` become no nodes. No schedule fires. */
async function openGround(
  name: string,
  groups: readonly Pick<Groups, 'name' | 'zones' | 'desired'>[],
  { never = [], ...settings }: { readonly never?: readonly string[]; readonly options?: object } = {},
): Promise<Ground> {
  const cluster = await openCluster(name);
  const deployment = await deployTemplate(
    synthesize({ name, mode: 'act', ...settings }, bundles),
    cluster,
    {},
    { WebhookTokenHashes: hash('sha256', 'unused') },
  );
  onTestFinished(() => deployment.stop());
  for (const group of groups) {
    await cluster.createGroups({ ...group, tags: SPOT });
  }
  cluster.bridge(3_000, never);
  onTestFinished(await applyRoles(cluster.kube, deployment.output('Rbac')));
  return { cluster, deployment };
}

/** Pods of which two fit on a node; a new one takes a second to be ready, and an old one `endsAfter` to end. */
async function createWeb({ kube, name }: E2eCluster, replicas: number, endsAfter: string): Promise<void> {
  const labels = { app: 'web' };
  const annotations = { [READY_DELAY]: '1s', [END_DELAY]: endsAfter };
  const requests = { cpu: '900m', memory: '128Mi' };
  await kube.create<V1Deployment>(`/apis/apps/v1/namespaces/${name}/deployments`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: { containers: [{ name: 'main', image: 'registry.test/main', resources: { requests } }] },
      },
    },
  });
}

const untilReady = (
  { kube, name }: E2eCluster,
  count: number,
  isThere: (node: string | undefined) => boolean = () => true,
): Promise<readonly V1Pod[]> =>
  kube.until<V1Pod>(`/api/v1/namespaces/${name}/pods`, {
    what: `${count} ready pods`,
    holds: (pods) => pods.length === count && pods.every((pod) => isReady(pod) && isThere(pod.spec?.nodeName)),
    describe: (pods) =>
      pods.map(({ metadata, spec, status }) => `${metadata?.name} ${spec?.nodeName} ${status?.phase}`).join(', '),
  });

/** Actions that a function has asked for. */
const callsOf = ({ records }: Deployment, action: string): number =>
  records.aws.filter(({ request }) => request.action === action).length;

const nodeOf = async ({ kube }: E2eCluster, instance: string): Promise<string> => {
  const nodes = await kube.list<V1Node>('/api/v1/nodes');
  return nodes.find(({ spec }) => spec?.providerID?.endsWith(instance))!.metadata!.name!;
};

test('a Spot interruption: the replacement is bought, and pods run elsewhere within their budget', async () => {
  const ground = await openGround('interrupted', [
    { name: 'spot', zones: ['us-east-1a'], desired: 1 },
    { name: 'other', zones: ['us-east-1b'], desired: 0 },
  ]);
  const { cluster, deployment } = ground;
  await cluster.untilNodes(1);
  const budgets = `/apis/policy/v1/namespaces/${cluster.name}/poddisruptionbudgets`;
  onTestFinished(() => cluster.kube.removeAll(budgets));
  await cluster.kube.create(budgets, {
    metadata: { name: 'web' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
  await createWeb(cluster, 2, '1s');
  await untilReady(cluster, 2);
  const watch = await watchBudgets(cluster);
  onTestFinished(async () => {
    await watch.stop().catch(() => undefined);
  });
  const instance = await instanceOf(cluster, 'interrupted-spot-a');
  const node = await nodeOf(cluster, instance);

  const announced = performance.now();
  const warning = {
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    detail: { 'instance-id': instance, 'instance-action': 'terminate' },
  };
  // EventBridge delivers at least once.
  await Promise.all([1, 2].map(() => deployment.triggers.publish(delivered(warning))));
  const pods = await untilReady(cluster, 2, (on) => on !== undefined && on !== node);
  await vi.waitFor(
    async () => expect(await cluster.sizes()).toEqual({ 'interrupted-spot-a': 0, 'interrupted-other-b': 1 }),
    { timeout: PATIENCE_MS },
  );
  const took = performance.now() - announced;
  process.stdout.write(
    `Spot interruption: all is elsewhere after ${(took / 1000).toFixed(1)} s (the instance ends after 120 s)\n`,
  );

  // In another zone, for the type is short in that of the interruption.
  const [to] = await cluster.kube
    .list<V1Node>('/api/v1/nodes')
    .then((nodes) => nodes.filter(({ metadata }) => metadata?.name === pods[0]!.spec?.nodeName));
  expect(to?.metadata?.labels?.['topology.kubernetes.io/zone']).toBe('us-east-1b');
  expect(callsOf(deployment, 'autoscaling:SetDesiredCapacity')).toBe(1);
  expect(callsOf(deployment, 'autoscaling:TerminateInstanceInAutoScalingGroup')).toBe(1);
  expect(deployment.records.problems).toEqual([]);
  await watch.stop();
});

test('a rebalance recommendation: its node is drained once its replacement is ready, as the option says', async () => {
  const { cluster, deployment } = await openGround(
    'recommended',
    [
      { name: 'spot', zones: ['us-east-1a'], desired: 1 },
      { name: 'other', zones: ['us-east-1b'], desired: 0 },
    ],
    { options: { rebalanceRecommendation: 'replace' } },
  );
  await cluster.untilNodes(1);
  await createWeb(cluster, 2, '1s');
  await untilReady(cluster, 2);
  const instance = await instanceOf(cluster, 'recommended-spot-a');
  const node = await nodeOf(cluster, instance);
  const readyAtEviction = nodesAtFirstEviction(cluster);

  const recommendation = {
    source: 'aws.ec2',
    'detail-type': 'EC2 Instance Rebalance Recommendation',
    detail: { 'instance-id': instance },
  };
  await Promise.all([1, 2].map(() => deployment.triggers.publish(delivered(recommendation))));
  await scanning(deployment, async () => {
    const names = (await cluster.kube.list<V1Node>('/api/v1/nodes')).map(({ metadata }) => metadata?.name);
    expect(names).toHaveLength(1);
    expect(names).not.toContain(node);
  });
  expect(await readyAtEviction).toHaveLength(2);
  await untilReady(cluster, 2, (on) => on !== undefined && on !== node);
  expect(callsOf(deployment, 'autoscaling:SetDesiredCapacity')).toBe(1);
  expect(callsOf(deployment, 'autoscaling:TerminateInstanceInAutoScalingGroup')).toBe(1);
  expect(deployment.records.problems).toEqual([]);
});

/** Event of Auto Scaling when it ends an instance of a group with this hook. */
const terminating = (group: string, instance: string, token: string) => ({
  source: 'aws.autoscaling',
  'detail-type': 'EC2 Instance-terminate Lifecycle Action',
  detail: {
    LifecycleActionToken: token,
    AutoScalingGroupName: group,
    LifecycleHookName: 'outrigger',
    EC2InstanceId: instance,
    LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
    Origin: 'AutoScalingGroup',
    Destination: 'EC2',
  },
});

test('a lifecycle hook: kept waiting by heartbeats while the node is drained, and completed once after that', async () => {
  const ground = await openGround('hooked', [{ name: 'web', zones: ['us-east-1a'], desired: 1 }]);
  const { cluster, deployment } = ground;
  await cluster.untilNodes(1);
  // Long enough for a second heartbeat.
  await createWeb(cluster, 2, '25s');
  await untilReady(cluster, 2);
  const group = 'hooked-web-a';
  const instance = await instanceOf(cluster, group);
  const node = await nodeOf(cluster, instance);
  const hook = { instance, group, name: 'outrigger', token: '0befcbdb-6ecd-498a-9ff7-ae9b54447cd6' };
  const { heartbeats, completions } = holdForHook(deployment, cluster, hook, node);

  await deployment.triggers.publish(delivered(terminating(group, instance, hook.token)));
  await vi.waitFor(() => expect(completions).toHaveLength(1), { timeout: PATIENCE_MS });
  await untilReady(cluster, 2, (on) => on !== undefined && on !== node);
  expect(completions).toEqual([{ result: 'CONTINUE', pods: [] }]);
  expect(heartbeats.length).toBeGreaterThanOrEqual(2);
  // The cloud ends the instance itself.
  expect(callsOf(deployment, 'autoscaling:TerminateInstanceInAutoScalingGroup')).toBe(0);
  expect(callsOf(deployment, 'autoscaling:CompleteLifecycleAction')).toBe(1);
  await untilDrained(deployment);
  expect(deployment.records.problems).toEqual([]);
});

test('a lifecycle hook of an instance that never became a node is completed at once, and nothing else is done', async () => {
  const group = 'never-web-a';
  const { cluster, deployment } = await openGround('never', [{ name: 'web', zones: ['us-east-1a'], desired: 1 }], {
    never: [group],
  });
  const instance = await instanceOf(cluster, group);
  const hook = { instance, group, name: 'outrigger', token: 'of-this-termination' };
  const { completions } = holdForHook(deployment, cluster, hook, null);
  const announced = performance.now();
  await deployment.triggers.publish(delivered(terminating(group, instance, hook.token)));
  await vi.waitFor(() => expect(completions).toEqual([{ result: 'CONTINUE', pods: [] }]), { timeout: PATIENCE_MS });
  process.stdout.write(
    `hook without a node: completed after ${((performance.now() - announced) / 1000).toFixed(1)} s\n`,
  );
  // It ends after its completion.
  const described = new DescribeAutoScalingInstancesCommand({ InstanceIds: [instance] });
  const isThere = async (): Promise<boolean> =>
    ((await cluster.aws.autoScaling.send(described)).AutoScalingInstances ?? []).length > 0;
  await expect.poll(isThere).toBe(false);
  expect(callsOf(deployment, 'autoscaling:SetDesiredCapacity')).toBe(0);
  expect(deployment.records.problems).toEqual([]);
});
