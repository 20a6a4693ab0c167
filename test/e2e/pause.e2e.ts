import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { CoreV1Event } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import { withoutProgress } from '../cli/explain/without-progress.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { untilUntainted } from './ready.ts';
import { startProxy, THROTTLED } from './servers/proxy.ts';
import { serverSet } from './server-set.ts';
import { createSlowPods } from './slow-pods.ts';
import { SOON } from './soon.ts';

const MAIN = new URL('../../cli/main.ts', import.meta.url).pathname;
const run = promisify(execFile);

/** A pause is in effect after this. */
const EFFECT_MS = 2_000;

/** A call that was made before the pause and is throttled is repeated by the SDK for so long. */
const REPEATED_MS = 3_500;

/** Commands on one table. */
function openTable({ name }: E2eCluster) {
  const table = `outrigger-${randomUUID()}`;
  const where = [`--table=${table}`, `--dynamodb-endpoint=${serverSet.dynamodbEndpoint}`];
  return {
    flags: where,
    /** Runs a command; gives the time at which it had ended. */
    command: async (...args: readonly string[]): Promise<number> => {
      const { stderr } = await run(process.execPath, [MAIN, ...args, `--cluster=${name}`, ...where]);
      expect(withoutProgress(stderr)).toBe('');
      return Date.now();
    },
  };
}

test('a size that is decided and not set is not set any more, and pods get their nodes when it is resumed', async () => {
  const cluster = await openCluster('pause-scale-up');
  const { command, flags } = openTable(cluster);
  const [group] = await cluster.createGroups(GROUP);
  cluster.bridge(0);
  const throttling = { on: true, tries: [] as number[] };
  const aws = await startProxy(cluster.recorder.endpoint, async ({ action, forward }) => {
    if (action !== 'SetDesiredCapacity' || !throttling.on) {
      return await forward();
    }
    throttling.tries.push(Date.now());
    return THROTTLED;
  });
  onTestFinished(() => aws.stop());
  const options = await cluster.optionsFile(SOON);
  cluster.outrigger('outrigger', `--options=${options}`, '--schedule=1s', `--aws-endpoint=${aws.endpoint}`, ...flags);
  await cluster.createDeployment('web', 1, { cpuMilli: 1_500, memoryMib: 1_024 });
  await expect.poll(() => throttling.tries.length).toBeGreaterThan(0);

  const paused = await command('pause', '--scale-up');
  await untilPaused(cluster, 'scale-up');
  await delay(Math.max(0, paused + EFFECT_MS + REPEATED_MS - Date.now()));
  throttling.on = false;
  await cluster.untilEvaluations(5);
  expect(throttling.tries.filter((at) => at > paused + EFFECT_MS + REPEATED_MS)).toEqual([]);
  expect([cluster.recorder.sizeChanges(), await cluster.sizes()]).toEqual([[], { [group!]: 0 }]);

  await command('resume');
  await cluster.untilRunning(1);
});

test('a drain is held by an annotation before its next eviction, and goes on when that is taken off', async () => {
  const cluster = await openCluster('pause-drain');
  await deployed(cluster, 2);
  const options = await cluster.optionsFile(SOON);
  cluster.outrigger('outrigger', `--options=${options}`, '--schedule=1s');
  await untilEvicting(cluster);

  await annotate(cluster, 'scale-down');
  const paused = Date.now();
  await untilPaused(cluster, 'scale-down');
  // Without the pause, the next pod is evicted when the one before has ended: six seconds later, or a step of the drain after that.
  await delay(25_000);
  expect(changesAfter(cluster, paused)).toEqual([]);

  await annotate(cluster, null);
  await untilUntainted(cluster, 1);
});

test('a consolidation is rolled back: no node stays tainted, none goes, and all pods run', async () => {
  const cluster = await openCluster('pause-consolidation');
  const { command, flags } = openTable(cluster);
  const group = await deployed(cluster, 3);
  const options = await cluster.optionsFile({
    ...SOON,
    scaleDownUtilizationThreshold: 0,
    consolidation: 'delete',
    consolidateAfter: '0s',
    consolidationMinNodeAge: '0s',
    consolidationHorizon: '24h',
  });
  cluster.outrigger('outrigger', `--options=${options}`, '--schedule=1s', ...flags);
  await untilEvicting(cluster);

  const paused = await command('pause', '--cancel-drains', '--for=1h');
  await untilUntainted(cluster, 3);
  await cluster.untilEvaluations(5);
  expect(changesAfter(cluster, paused)).toEqual([]);
  await cluster.untilRunning(PODS_PER_NODE * 3);
  expect(await cluster.sizes()).toEqual({ [group]: 3 });
  await untilUntainted(cluster, 3);
});

const GROUP = { name: 'm5', instanceType: 'm5.xlarge' };
const PODS_PER_NODE = 4;

/** Nodes with four small pods each, of which one may be away at a time and takes five seconds to end. */
async function deployed(cluster: E2eCluster, nodes: number): Promise<string> {
  const [group] = await cluster.createGroups({ ...GROUP, desired: nodes });
  cluster.bridge(0);
  await untilUntainted(cluster, nodes);
  await createSlowPods(cluster, { replicas: PODS_PER_NODE * nodes, cpu: '300m', endSeconds: 5 });
  return group!;
}

/** As kubectl annotate does; `null` takes the annotation off. */
async function annotate({ kube }: E2eCluster, value: string | null): Promise<void> {
  const status = '/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status';
  const paused = async (text: string | null) =>
    await kube.patch(status, { metadata: { annotations: { 'outrigger.dev/paused': text } } });
  onTestFinished(async () => void (await paused(null)));
  await paused(value);
}

const untilEvicting = async (cluster: E2eCluster): Promise<void> => {
  await expect.poll(() => evictionsOf(cluster).length).toBeGreaterThan(0);
};

const evictionsOf = (cluster: E2eCluster) =>
  cluster.audited().filter(({ verb, requestURI }) => verb === 'create' && requestURI.endsWith('/eviction'));

/** Evictions and terminations that were asked for when the pause was to be in effect. */
function changesAfter(cluster: E2eCluster, paused: number): readonly unknown[] {
  const from = paused + EFFECT_MS;
  const evictions = evictionsOf(cluster).filter(
    ({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp) > from,
  );
  const terminations = cluster.recorder.calls.filter(({ action, at }) => {
    const since = performance.timeOrigin + at;
    return action === 'TerminateInstanceInAutoScalingGroup' && since > from;
  });
  return [...evictions, ...terminations];
}

/** The event is where kubectl describe finds it: on the ConfigMap of the status. */
const untilPaused = ({ kube }: E2eCluster, what: string) =>
  kube.until<CoreV1Event>('/api/v1/namespaces/kube-system/events', {
    what: `an event that ${what} is paused`,
    holds: (events) =>
      events.some(({ reason, message }) => reason === 'Paused' && message?.startsWith(`${what} is paused`)),
  });
