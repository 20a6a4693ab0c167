import type { CoreV1Event, V1Deployment, V1Node, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { connection } from './connection.ts';
import { awsClients, type AwsClients } from './servers/aws-clients.ts';
import { startAwsRecorder, type AwsRecorder } from './servers/aws-recorder.ts';
import { createGroups, deleteGroups, describeGroups, type Groups } from './servers/aws-setup.ts';
import { startBridge, type Bridge } from './servers/bridge.ts';
import { kube as connect, type Kube } from './servers/kube.ts';
import { type OtherTime, startOutrigger, type Outrigger } from './servers/outrigger.ts';
import { PATIENCE_MS, tail } from './servers/server-process.ts';
import { serverSet } from './server-set.ts';

/** A cluster of one test's own: a namespace, node groups, a recorder in front of AWS; all gone after the test. */
export interface E2eCluster {
  /** Name of the cluster, and of its namespace. */
  readonly name: string;
  readonly kube: Kube;
  readonly aws: AwsClients;
  /** Requests of Outrigger to AWS; none of the test itself. */
  readonly recorder: AwsRecorder;
  createGroups(groups: Omit<Groups, 'cluster'>): Promise<readonly string[]>;
  /** Desired capacity of each group. */
  sizes(): Promise<Readonly<Record<string, number>>>;
  /** Starts to turn instances into Nodes. */
  bridge(bootMs: number, neverRegister?: readonly string[], bootSpreadMs?: number): Bridge;
  /** Starts `outrigger local` for this cluster with `args` besides. */
  outrigger(name: string, ...args: readonly string[]): Outrigger;
  /** Starts it with a clock that shows another time. */
  outriggerAt(otherTime: OtherTime, name: string, ...args: readonly string[]): Outrigger;
  /**
   * Starts Outrigger with its webhook, and waits for the first notification: the API server needs a moment to call a
   * new webhook.
   */
  outriggerWithWebhook(name: string, ...args: readonly string[]): Promise<Outrigger>;
  /** Writes a file for `--options`, and gives its path. */
  optionsFile(options: Readonly<Record<string, unknown>>): Promise<string>;
  /** Requests of Outrigger to the API server since this cluster was opened. */
  audited(): readonly AuditEvent[];
  /** @param spec more of the spec of its pods, which have the label `app: NAME` */
  createDeployment(name: string, replicas: number, requests: Requests, spec?: Partial<V1PodSpec>): Promise<void>;
  /** Waits until all pods of the namespace, `count` in number, are Running; gives them. */
  untilRunning(count: number): Promise<readonly V1Pod[]>;
  /** Waits for an event in the namespace, and gives the first. */
  untilEvent(reason: string): Promise<CoreV1Event>;
  /**
   * Waits until Outrigger has read its groups this many times more: by then, Outrigger has made all changes that need
   * no further trigger.
   */
  untilEvaluations(count: number): Promise<void>;
  /** Waits until `count` Nodes are Ready; gives them. */
  untilNodes(count: number): Promise<readonly V1Node[]>;
}

/** A request to the API server, as its audit log records it. */
export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly responseStatus?: { readonly code?: number };
}

/** Was it meant to change something? */
export const isWrite = ({ verb }: AuditEvent): boolean => !['get', 'list', 'watch'].includes(verb);

/** CPU in milli, memory in MiB. */
export interface Requests {
  readonly cpuMilli: number;
  readonly memoryMib: number;
}

/**
 * Opens a cluster for the running test and closes it when the test ends. On a failure the ends of the logs are printed,
 * and the logs kept.
 */
export async function openCluster(name: string): Promise<E2eCluster> {
  const { cluster, close } = await createCluster(name);
  onTestFinished(async ({ task }) => {
    // Before the clean-up, which would fill the logs with its own.
    if (task.result?.state === 'fail') await reportLogs(name);
    await close();
  }, CLOSE_TIMEOUT_MS);
  return cluster;
}

const CLOSE_TIMEOUT_MS = 2 * PATIENCE_MS;

/** Arguments that make Outrigger listen on any free port and install its webhook. */
export const WEBHOOK = ['--listen=127.0.0.1:0', '--install-webhook', '--replace-webhook'] as const;

const isReady = ({ status }: V1Node): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;

async function createCluster(name: string): Promise<{ cluster: E2eCluster; close: () => Promise<void> }> {
  const opened = Date.now();
  const kube = connect(connection());
  const aws = awsClients(serverSet.awsEndpoint);
  const recorder = await startAwsRecorder(serverSet.awsEndpoint);
  const bridges: Bridge[] = [];
  const outriggers: Outrigger[] = [];
  const pods = `/api/v1/namespaces/${name}/pods`;
  const deployments = `/apis/apps/v1/namespaces/${name}/deployments`;
  await kube.create('/api/v1/namespaces', { metadata: { name } });

  const start = (process: string, args: readonly string[], otherTime?: OtherTime): Outrigger => {
    const outrigger = startOutrigger({
      name: `${name}-${process}`,
      cluster: name,
      kubeconfig: serverSet.outriggerKubeconfig,
      awsEndpoint: recorder.endpoint,
      logs: serverSet.logs,
      args,
      ...(otherTime === undefined ? {} : { otherTime }),
    });
    outriggers.push(outrigger);
    return outrigger;
  };
  const cluster: E2eCluster = {
    name,
    kube,
    aws,
    recorder,
    createGroups: (groups) => createGroups(aws, { cluster: name, ...groups }),
    async sizes() {
      const groups = await describeGroups(aws, name);
      const sizes = groups.map(({ AutoScalingGroupName, DesiredCapacity }) => [AutoScalingGroupName, DesiredCapacity]);
      return Object.fromEntries(sizes) as Record<string, number>;
    },
    bridge(bootMs, neverRegister = [], bootSpreadMs = 0) {
      const bridge = startBridge({
        kube,
        awsEndpoint: serverSet.awsEndpoint,
        cluster: name,
        bootMs,
        bootSpreadMs,
        neverRegister,
      });
      bridges.push(bridge);
      return bridge;
    },
    outrigger: (process, ...args) => start(process, args),
    outriggerAt: (otherTime, process, ...args) => start(process, args, otherTime),
    async outriggerWithWebhook(process, ...args) {
      // Only this level reports notifications without a pod. The test sends notifications, too, as an administrator.
      const outrigger = cluster.outrigger(process, ...WEBHOOK, '--scheduler-user=admin', '--verbose', ...args);
      await outrigger.untilLogged('the webhook', ({ message }) =>
        String(message).startsWith('The API server notifies'),
      );
      const notified = outrigger.untilLogged('a notification', ({ message }) =>
        String(message).startsWith('No pod of cluster'),
      );
      const stop = new AbortController();
      const notifying = (async () => {
        while (!stop.signal.aborted) {
          await kube.create(`/api/v1/namespaces/${name}/events`, failedScheduling(name));
          await delay(100);
        }
      })();
      await Promise.all([notified.finally(() => stop.abort()), notifying]);
      return outrigger;
    },
    async optionsFile(options) {
      const file = path.join(serverSet.logs, `${name}-options.yaml`);
      // JSON, which is YAML too.
      await writeFile(file, JSON.stringify(options));
      return file;
    },
    audited: () =>
      existsSync(serverSet.audit)
        ? readFileSync(serverSet.audit, 'utf8')
            .split('\n')
            // The last one is empty, or half written.
            .slice(0, -1)
            .map((line) => JSON.parse(line) as AuditEvent)
            .filter(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp) >= opened)
        : [],
    async createDeployment(deployment, replicas, requests, spec = {}) {
      await kube.create(deployments, deploymentOf(deployment, replicas, requests, spec));
    },
    untilRunning: (count) =>
      kube.until<V1Pod>(pods, {
        what: `${count} running pods`,
        holds: (objects) => objects.length === count && objects.every(({ status }) => status?.phase === 'Running'),
        describe: (objects) =>
          `${objects.length} pods, ${objects.filter(({ status }) => status?.phase === 'Running').length} running`,
      }),
    async untilEvent(reason) {
      const ofReason = (event: CoreV1Event): boolean => event.reason === reason;
      const events = await kube.until<CoreV1Event>(`/api/v1/namespaces/${name}/events`, {
        what: `an event ${reason}`,
        holds: (objects) => objects.some(ofReason),
      });
      return events.find(ofReason)!;
    },
    untilEvaluations(count) {
      const evaluations = () => recorder.calls.filter(({ action }) => action === 'DescribeAutoScalingGroups').length;
      // An evaluation may be under way.
      const enough = evaluations() + count + 1;
      return recorder.until(`${count} more evaluations`, () => evaluations() >= enough);
    },
    untilNodes: (count) =>
      kube.until<V1Node>('/api/v1/nodes', {
        what: `${count} ready nodes`,
        holds: (objects) => objects.length === count && objects.every(isReady),
      }),
  };

  // A failed step shall not stop the rest, and leave objects to the next test.
  const close = () =>
    allOf([
      () => Promise.all(outriggers.map((outrigger) => outrigger.stop())),
      () => kube.removeAll(deployments),
      () => kube.until(`/apis/apps/v1/namespaces/${name}/replicasets`, none('replica sets')),
      () => kube.removeAll(pods),
      () => kube.until(pods, none('pods')),
      () => Promise.all(bridges.map((bridge) => bridge.stop())),
      () => deleteGroups(aws, name),
      () => kube.removeAll('/api/v1/nodes'),
      () => kube.until('/api/v1/nodes', none('nodes')),
      () => kube.remove(`/api/v1/namespaces/${name}`),
      () => recorder.stop(),
      async () => aws.destroy(),
      async () => kube.close(),
    ]);
  return { cluster, close };
}

/** Takes each step, whatever became of those before it. */
async function allOf(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `Not all could be cleaned up: ${failures.join('; ')}`);
}

/** An event as the scheduler writes it, about a pod that is not there. */
const failedScheduling = (namespace: string) => ({
  metadata: { generateName: 'notification-', namespace },
  involvedObject: { kind: 'Pod', namespace, name: 'none' },
  reason: 'FailedScheduling',
  type: 'Warning',
});

const none = (what: string) => ({
  what: `the end of all ${what}`,
  holds: (objects: readonly unknown[]) => objects.length === 0,
});

function deploymentOf(
  name: string,
  replicas: number,
  { cpuMilli, memoryMib }: Requests,
  spec: Partial<V1PodSpec>,
): V1Deployment {
  const labels = { app: name };
  const requests = { cpu: `${cpuMilli}m`, memory: `${memoryMib}Mi` };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { ...spec, containers: [{ name: 'main', image: 'registry.test/main', resources: { requests } }] },
      },
    },
  };
}

/** Prints the ends of Outrigger's logs, and keeps those of all servers beyond the run. */
async function reportLogs(cluster: string): Promise<void> {
  const logs = serverSet.logs;
  await writeFile(path.join(logs, 'failed'), `${cluster}\n`, { flag: 'a' });
  const files = (await readdir(logs)).filter((file) => file.startsWith(`${cluster}-`)).sort();
  for (const file of files) process.stdout.write(`\n--- ${file}\n${tail(path.join(logs, file), 20)}\n`);
}
