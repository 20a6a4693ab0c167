import type { V1Pod } from '@kubernetes/client-node';
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openCluster } from './cluster.ts';
import { applyRoles, applyWebhook, buildBundles, deployTemplate } from './template/ground.ts';
import { synthesize } from './template/synthesize.ts';

const CLUSTER = 'template';
const TOKEN = 'a-token-of-the-webhook';
const PARAMETERS = { WebhookTokenHashes: hash('sha256', TOKEN) };
const synthesized = synthesize(
  {
    name: CLUSTER,
    mode: 'act',
    options: {
      scaleDownUnneededTime: '1s',
      scaleDownDelayAfterAdd: '0s',
      scaleDownDelayAfterDelete: '0s',
      scaleDownDelayAfterFailure: '1s',
      unremovableNodeRecheckTimeout: '1s',
      nodeDeleteDelayAfterTaint: '1s',
      expander: 'priority,least-waste',
    },
  },
  await buildBundles(),
);

test('a pod without a node gets one, and loses it when it is not needed any more', async () => {
  const cluster = await openCluster(CLUSTER);
  const { kube } = cluster;
  const deployment = await deployTemplate(synthesized, cluster, {}, PARAMETERS);
  onTestFinished(() => deployment.stop());
  const { records, triggers, lambda } = deployment;
  const [group] = await cluster.createGroups({
    name: 'web',
    instanceType: 'm5.large',
    zones: ['us-east-1a'],
    min: 0,
    max: 5,
    desired: 0,
  });
  cluster.bridge(100);
  onTestFinished(await applyRoles(kube, deployment.output('Rbac'), deployment.groupPrefix));
  const webhook = deployment.output('Webhook').replace('TOKEN', TOKEN);
  onTestFinished(await applyWebhook(kube, webhook, deployment.authority));
  // The API server takes a moment to heed it.
  await delay(2_000);
  await cluster.createDeployment('web', 3, { cpuMilli: 900, memoryMib: 500 });
  await cluster.untilRunning(3);
  expect(await cluster.sizes()).toEqual({ [group!]: 2 });
  await kube.patch(`/apis/apps/v1/namespaces/${CLUSTER}/deployments/web`, { spec: { replicas: 2 } });
  await kube.until<V1Pod>(`/api/v1/namespaces/${CLUSTER}/pods`, {
    what: 'two pods',
    holds: (pods) => pods.length === 2,
  });
  await vi.waitFor(
    async () => {
      for (const schedule of triggers.schedules) await triggers.fire(schedule);
      await lambda.settled();
      expect(await cluster.sizes()).toEqual({ [group!]: 1 });
    },
    { timeout: 60_000, interval: 1_000 },
  );
  await cluster.untilNodes(1);
  await vi.waitFor(() => expect(deployment.executions).toMatchObject([{ status: 'SUCCEEDED' }]), { timeout: 30_000 });
  expect(new Set(records.problems)).toEqual(new Set());
});
