import type { V1ValidatingWebhookConfiguration } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { isWrite, openCluster, WEBHOOK, type E2eCluster } from './cluster.ts';

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const webhooks = async ({ kube }: E2eCluster): Promise<readonly (string | undefined)[]> =>
  (await kube.list<V1ValidatingWebhookConfiguration>(WEBHOOKS)).map(({ metadata }) => metadata?.name);

test.each(['SIGINT', 'SIGTERM'] as const)('%s removes the webhook that was installed', async (signal) => {
  const cluster = await openCluster(`webhook-${signal.toLowerCase()}`);
  const outrigger = await cluster.outriggerWithWebhook('outrigger');
  expect(await webhooks(cluster)).toEqual([`outrigger-local-${cluster.name}`]);

  expect(await outrigger.stop(signal)).toBe('0');
  expect(await webhooks(cluster)).toEqual([]);
});

test('the webhook holds up nothing when it is not answered', async () => {
  const cluster = await openCluster('webhook-silent');
  const outrigger = await cluster.outriggerWithWebhook('outrigger');
  expect(await outrigger.stop('SIGKILL')).toBe('SIGKILL');
  expect(await webhooks(cluster)).toEqual([`outrigger-local-${cluster.name}`]);

  await cluster.createDeployment('web', 1, { cpuMilli: 100, memoryMib: 64 });
  await cluster.untilEvent('FailedScheduling');
  await cluster.kube.remove(`${WEBHOOKS}/outrigger-local-${cluster.name}`);
});

describe('--dry-run', () => {
  test('says what it would do, and does nothing to the groups nor to the cluster', async () => {
    const cluster = await openCluster('dry-run');
    await cluster.createGroups({ name: 'm5' });
    await cluster.createDeployment('web', 2, { cpuMilli: 1500, memoryMib: 64 });
    await cluster.untilEvent('FailedScheduling');

    const outrigger = cluster.outrigger('outrigger', '--dry-run', '--schedule=1s', ...WEBHOOK);
    const proposes = ({ result, message }: Readonly<Record<string, unknown>>) =>
      result === 'ScaledUp' && String(message).includes('dry-run-m5-a 0 → 2');
    await outrigger.untilLogged('two decisions', () => outrigger.logged().filter(proposes).length >= 2);
    expect(await webhooks(cluster)).toEqual([]);
    await outrigger.stop();

    const { calls } = cluster.recorder;
    expect(calls.map(({ action }) => action)).toContain('DescribeAutoScalingGroups');
    expect(calls.map(({ action }) => action).filter((action) => !action.startsWith('Describe'))).toEqual([]);
    expect(await cluster.sizes()).toEqual({ 'dry-run-m5-a': 0 });
    expect(cluster.audited().length).toBeGreaterThan(0);
    expect(cluster.audited().filter(isWrite)).toEqual([]);
  });
});
