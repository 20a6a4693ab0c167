import { setTimeout as delay } from 'node:timers/promises';
import type { V1Node } from '@kubernetes/client-node';
import { expect, test, vi } from 'vitest';
import { AWAITING_PODS_TAINT } from '../../core/model/cluster/node.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { allowOptions } from './local-rights.ts';
import { REGISTERS_CLOSED } from './placement/nominations.ts';
import { recordOpenings, spreadInWords } from './placement/openings.ts';
import { PATIENCE_MS } from './servers/server-process.ts';

const NODES = 12;
/** A node has room for one. */
const POD = { cpuMilli: 3000, memoryMib: 1024 };
const GROUPS = {
  name: 'm5',
  instanceType: 'm5.xlarge',
  zones: ['us-east-1a', 'us-east-1b', 'us-east-1c'],
  max: NODES,
  tags: REGISTERS_CLOSED,
};
const BOOT_MS = 3_000;
const BOOT_SPREAD_MS = 6_000;

test.each([
  { how: 'by the webhook', name: 'openings-notified', notified: true, goal: 1 },
  { how: 'by evaluations alone', name: 'openings-evaluated', notified: false, goal: 10 },
])('nodes that become ready one after another are opened $how', async ({ how, name, notified, goal }) => {
  const cluster = await openCluster(name);
  await allowOptions(cluster, { plannedPlacement: true });
  await cluster.createGroups(GROUPS);
  cluster.bridge(BOOT_MS, [], BOOT_SPREAD_MS);
  const options = `--options=${await cluster.optionsFile({ plannedPlacement: true })}`;
  const openings = recordOpenings(cluster);
  if (notified) {
    await cluster.outriggerWithWebhook('outrigger', options);
    await cluster.createDeployment('web', NODES, POD);
  } else {
    await cluster.createDeployment('web', NODES, POD);
    await cluster.untilEvent('FailedScheduling');
    cluster.outrigger('outrigger', options);
  }
  await cluster.untilRunning(NODES);
  openings.stop();

  const held = openings.held();
  process.stdout.write(
    `${held.length} nodes opened ${how}: ${spreadInWords(held)} after readiness (goal: ${goal} s)\n`,
  );
  expect(held).toHaveLength(NODES);
});

test('the webhook tells of devices that are announced on a node that is ready', async () => {
  const cluster = await openCluster('openings-devices');
  const { kube } = cluster;
  await cluster.outriggerWithWebhook('outrigger', `--options=${await cluster.optionsFile({ plannedPlacement: true })}`);
  // It stays closed for another taint, too.
  const keys = [AWAITING_PODS_TAINT, 'startup-taint.cluster-autoscaler.kubernetes.io/driver'];
  const taints = keys.map((key) => ({ key, effect: 'NoSchedule' }));
  await kube.create('/api/v1/nodes', { metadata: { name: 'with-gpus' }, spec: { taints } });
  await kube.until<V1Node>('/api/v1/nodes', {
    what: 'the node to be ready',
    holds: (nodes) => nodes.some(({ spec, status }) => spec?.taints?.length === 2 && isReady(status)),
    describe: (nodes) => `${nodes.length} nodes`,
  });
  // kwok writes the status of a new node several times.
  const before = await vi.waitFor(
    async () => {
      const count = await notifications(cluster);
      await delay(2_000);
      expect(await notifications(cluster)).toBe(count);
      return count;
    },
    { timeout: PATIENCE_MS },
  );
  expect(before).toBeGreaterThan(0);
  const write = (status: object) => kube.patch('/api/v1/nodes/with-gpus/status', { status });
  await write({ allocatable: { 'nvidia.com/gpu': '4' }, capacity: { 'nvidia.com/gpu': '4' } });
  await vi.waitFor(async () => expect(await notifications(cluster)).toBe(before + 1), { timeout: PATIENCE_MS });
  await write({ images: [{ names: ['registry.test/driver'], sizeBytes: 1 }] });
  expect(await notifications(cluster)).toBe(before + 1);
});

const isReady = (status: V1Node['status']): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;

/** How often the API server has called the webhook that tells of nodes, for any cluster. */
async function notifications({ kube }: E2eCluster): Promise<number> {
  const counts = (await kube.text('/metrics')).matchAll(
    /^apiserver_admission_webhook_request_total\{.*name="ready-node\.outrigger\.dev".*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
