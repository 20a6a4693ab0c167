import { setTimeout as delay } from 'node:timers/promises';
import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { expect, onTestFinished, vi } from 'vitest';
import { type E2eCluster, openCluster } from '../cluster.ts';
import { PATIENCE_MS } from '../servers/server-process.ts';
import { deleteLaunchTemplate } from '../servers/aws-setup.ts';
import type { Answer } from '../servers/proxy.ts';
import { failure } from './denials.ts';
import type { Deployment } from './deployment.ts';
import { createEmptyGroups } from './groups.ts';
import { applyRoles, applyWebhook, deployTemplate } from './ground.ts';
import { delivered, eventsAbout } from './instance-events.ts';
import { createControllers } from './kubernetes-load.ts';
import type { Synthesized } from './synthesize.ts';

/** A template that runs, on a cluster of its own, until the test ends. */
export interface Ground {
  readonly cluster: E2eCluster;
  readonly deployment: Deployment;
  /** Fires every schedule until what is expected holds. */
  readonly scanning: (expectation: () => Promise<void>) => Promise<void>;
}

/** Name of the managed node group. */
export const MANAGED = 'managed-nodes';

const TEMPLATE = 'k8s.io/cluster-autoscaler/node-template';

/** Tags of a group whose nodes are for pods of this kind alone. */
const only = (kind: string) => ({ [`${TEMPLATE}/label/kind`]: kind, [`${TEMPLATE}/taint/kind`]: `${kind}:NoSchedule` });

/** Fields of such a pod. */
const forKind = (value: string) => ({
  nodeSelector: { kind: value },
  tolerations: [{ key: 'kind', operator: 'Equal', value, effect: 'NoSchedule' }],
});

/**
 * Deploys the template and opens its cluster: the group `web` works; the instances of `dead` never become nodes; the
 * first size of `refusing` is refused; `slow` has a size and no instances. Groups of all other kinds are there, without nodes.
 */
export async function openGround(
  name: string,
  synthesized: Synthesized,
  parameters: Readonly<Record<string, string>>,
): Promise<Ground> {
  const cluster = await openCluster(name);
  const deployment = await deployTemplate(synthesized, cluster, { [MANAGED]: 'ACTIVE' }, parameters);
  onTestFinished(() => deployment.stop());
  await cluster.createGroups({ name: 'web' });
  await cluster.createGroups({ name: 'dead', max: 1, tags: only('dead') });
  await cluster.createGroups({ name: 'refusing', max: 1, tags: only('refusing') });
  await cluster.createGroups({ name: 'slow', max: 1, tags: only('slow') });
  await createEmptyGroups(cluster.aws, name, `${name}-web`, MANAGED);
  cluster.bridge(100, [`${name}-dead-a`, `${name}-refusing-a`]);
  onTestFinished(await applyRoles(cluster.kube, deployment.output('Rbac')));
  return { cluster, deployment, scanning: (expectation) => scanning(deployment, expectation) };
}

/** EventBridge fires each minute, whether invocations of the minute before have ended or not. */
const SCAN_MS = 60_000;

/** Fires every schedule until what is expected holds. */
export async function scanning(
  { triggers, lambda }: Deployment,
  expectation: () => Promise<void> | void,
): Promise<void> {
  const fired = async (): Promise<'ended'> => {
    for (const schedule of triggers.schedules) await triggers.fire(schedule);
    await lambda.settled();
    return 'ended';
  };
  const turn = async (): Promise<void> => {
    const timeout = new AbortController();
    const next = delay(SCAN_MS, 'a minute is over' as const, { signal: timeout.signal }).catch(() => 'ended' as const);
    const first = await Promise.race([fired(), next]);
    timeout.abort();
    if (first !== 'ended') console.warn('Invocations of a scan have not ended within a minute: the next scan comes.');
    await expectation();
  };
  await vi.waitFor(turn, { timeout: PATIENCE_MS, interval: 1_000 });
}

/** Applies the webhook, and waits until the API server heeds it. */
export async function notify({ cluster: { kube, name }, deployment }: Ground, token: string): Promise<void> {
  const manifest = deployment.output('Webhook').replaceAll('TOKEN', token);
  onTestFinished(await applyWebhook(kube, manifest));
  let number = 0;
  await vi.waitFor(
    async () => {
      number += 1;
      await createPod(kube, name, `unhelped-${number}`, { nodeSelector: { kind: 'none' } });
      expect(deployment.records.aws.map(({ request }) => request.action)).toContain('lambda:InvokeFunctionUrl');
    },
    { timeout: PATIENCE_MS, interval: 1_000 },
  );
}

export const createPod = (
  kube: E2eCluster['kube'],
  namespace: string,
  name: string,
  spec: object,
  annotations: Readonly<Record<string, string>> = {},
): Promise<unknown> =>
  kube.create(`/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name, labels: { app: name }, annotations },
    spec: {
      containers: [{ name: 'main', image: 'registry.test/main', resources: { requests: { cpu: '100m' } } }],
      ...spec,
    },
  });

/** Pods for every group and of every controller; no schedule fires. Gives what takes them away. */
export async function load({ cluster, deployment }: Ground): Promise<() => Promise<void>> {
  const { kube, name } = cluster;
  const refused = new Set<string>();
  const once = (what: string): boolean => !refused.has(what) && refused.add(what) !== null;
  deployment.interfere(async (role, { service, operation, input }, answer): Promise<Answer> => {
    if (operation === 'SetDesiredCapacity' && input['AutoScalingGroupName'] === `${name}-refusing-a` && once('size'))
      return formAnswer(400, `<ErrorResponse><Error><Code>ValidationError</Code></Error></ErrorResponse>`);
    // The size is taken, and no instance comes: moto cannot launch it, and AWS has not.
    if (operation === 'SetDesiredCapacity' && input['AutoScalingGroupName'] === `${name}-slow-a` && once('launch')) {
      await deleteLaunchTemplate(cluster.aws, `${name}-slow`);
      await answer();
      return formAnswer(200, `<${operation}Response/>`);
    }
    // The claim of an intent has happened, and its answer is lost.
    if (role.startsWith('Actuate') && service === 'dynamodb' && operation === 'UpdateItem' && once('claim')) {
      await answer();
      return { status: 500, headers: {}, body: Buffer.alloc(0) };
    }
    // The evaluation fails: its wake-up comes again soon.
    if (role.startsWith('ScaleUp') && service === 'dynamodb' && operation === 'Query' && once('evaluation'))
      return failure(400, 'ValidationException', 'not now');
    return answer();
  });
  await createPod(kube, name, 'for-dead', forKind('dead'));
  await createPod(kube, name, 'for-refusing', forKind('refusing'));
  await createPod(kube, name, 'for-slow', forKind('slow'));
  await cluster.createDeployment('web', 3, { cpuMilli: 900, memoryMib: 500 });
  // Both nodes of web are there then: each has pods of all controllers.
  await untilWeb(cluster, 3);
  return await createControllers(kube, name);
}

const formAnswer = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(body),
});

/** A pod may wait for this long before it is helped: an evaluation that sees it asks for the next one, before a scan comes. */
const WAITING_SECONDS = 50;

/** Has the API server notify of a pod that waits before it is helped, until an evaluation has asked for a later one. */
export async function notifyOfWaiting({ cluster: { kube, name }, deployment }: Ground): Promise<void> {
  const isSent = (): boolean =>
    deployment.records.aws.some(
      ({ principal, request }) => principal?.startsWith('ScaleUp') === true && request.action === 'sqs:SendMessage',
    );
  const waiting = { 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay': `${WAITING_SECONDS}s` };
  let number = 0;
  await vi.waitFor(
    async () => {
      number += 1;
      await createPod(kube, name, `waiting-${number}`, { nodeSelector: { kind: 'none' } }, waiting);
      await vi.waitFor(() => expect(isSent()).toBe(true), { timeout: WAITING_SECONDS * 1_000 });
    },
    { timeout: PATIENCE_MS },
  );
}

/** Waits until `count` pods of the Deployment are there, and running. */
export async function untilWeb({ kube, name }: E2eCluster, count: number): Promise<void> {
  const ofWeb = (pods: readonly V1Pod[]): readonly V1Pod[] =>
    pods.filter(({ metadata }) => metadata?.labels?.['app'] === 'web');
  await kube.until<V1Pod>(`/api/v1/namespaces/${name}/pods`, {
    what: `${count} running pods of web`,
    holds: (pods) => ofWeb(pods).length === count && ofWeb(pods).every(({ status }) => status?.phase === 'Running'),
    describe: (pods) => pods.map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`).join(', '),
  });
}

/** Waits until so many drains have ended, each of which has scale-down evaluate. */
export const untilDrained = ({ records }: Deployment, count = 1): Promise<void> =>
  vi.waitFor(
    () => {
      const calls = records.aws.filter(({ request }) => request.action === 'lambda:InvokeFunction');
      expect(calls.filter(({ principal }) => principal?.startsWith('Drain'))).toHaveLength(count);
    },
    { timeout: PATIENCE_MS },
  );

/** An instance of a group that has some. */
export async function instanceOf({ aws }: E2eCluster, group: string): Promise<string> {
  const asked = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [group] });
  const { AutoScalingGroups: [found] = [] } = await aws.autoScaling.send(asked);
  return found!.Instances![0]!.InstanceId!;
}

/** Has AWS announce a change of this instance, until the cluster is evaluated for it. */
export async function untilNoticed({ deployment }: Pick<Ground, 'deployment'>, instance: string): Promise<void> {
  const { records, triggers } = deployment;
  const [[event] = []] = eventsAbout(instance);
  const byWake = (action: string): number =>
    records.aws.filter(({ principal, request }) => principal?.startsWith('Wake') === true && request.action === action)
      .length;
  const sent = byWake('sqs:SendMessage');
  const removed = byWake('dynamodb:DeleteItem');
  await triggers.publish(delivered(event!));
  await vi.waitFor(() => expect(byWake('sqs:SendMessage')).toBeGreaterThan(sent), { timeout: PATIENCE_MS });
  expect(byWake('dynamodb:DeleteItem')).toBeGreaterThan(removed);
}

/** Puts the marks of a Cluster Autoscaler on a node that it has not removed. */
export async function markAsLeftover({ kube }: E2eCluster): Promise<string> {
  const [node] = await kube.list<V1Node>('/api/v1/nodes');
  const taint = { key: 'ToBeDeletedByClusterAutoscaler', value: '1700000000', effect: 'NoSchedule' };
  await kube.patch(`/api/v1/nodes/${node!.metadata!.name}`, { spec: { taints: [taint] } });
  return node!.metadata!.name!;
}

/** Text of the dashboard's widget: CloudWatch calls its function for a person. */
export async function whyOf({ lambda }: Deployment): Promise<string> {
  const { arn } = lambda.functions.find(({ id }) => id.startsWith('Widget'))!;
  const outcome = await lambda.invoke(arn, { widgetContext: { theme: 'light', forms: { all: {} } } });
  return outcome.kind === 'returned' ? String(outcome.value) : `${outcome.type}: ${outcome.message}`;
}
