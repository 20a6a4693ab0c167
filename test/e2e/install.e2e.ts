import type { V1ValidatingWebhookConfiguration } from '@kubernetes/client-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sendTestWebhook } from '../../cli/install/cluster/test-webhook.ts';
import { applyManifests } from '../../cli/install/steps/manifests.ts';
import { startWebhookServer } from '../../cli/local/webhook-server.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { readObject, removeObject } from '../../providers/kubernetes/apply.ts';
import { createTransport } from '../../providers/kubernetes/client/transport.ts';
import { manifestsOf, removableManifests } from '../../providers/kubernetes/manifests/manifests.ts';
import type { KubernetesObject } from '../../providers/kubernetes/manifests/object.ts';
import { newToken } from '../../providers/kubernetes/webhook-token.ts';
import { checkedWebhook } from '../../providers/kubernetes/webhook.ts';
import { openCluster } from './cluster.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { serverSet } from './server-set.ts';

/** The manifests under names of this test's own: those of the shared cluster are in use. */
const renamed = <T extends { readonly metadata: { readonly name: string } }>(object: T): T =>
  JSON.parse(
    JSON.stringify(object)
      .replaceAll(/"outrigger(-drain)?"/g, '"outrigger-install-test$1"')
      .replaceAll('managed-by":"outrigger-install-test"', 'managed-by":"outrigger"'),
  ) as T;

test('what is installed is accepted, notifies at a ring and no other event, stays as it is, and is removed', async () => {
  const cluster = await openCluster('install');
  const transport = createTransport(await connectionOfKubeconfig({ file: serverSet.kubeconfig, context: null }));
  onTestFinished(() => transport.close());
  const token = newToken();
  const paths: string[] = [];
  const server = await startWebhookServer({ host: '127.0.0.1', port: 0 }, '127.0.0.1', {
    admits: () => true,
    answer: async ({ rawPath, body }) => {
      const { request } = JSON.parse(body ?? '{}') as {
        readonly request: { readonly uid: string; readonly namespace: string };
      };
      if (request.namespace === 'default') paths.push(rawPath);
      return {
        statusCode: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid: request.uid, allowed: true },
        }),
      };
    },
  });
  onTestFinished(async () => await server.close());

  const settings = { cluster: cluster.name, schedulerUsers: [], flowSchema: true };
  const url = `https://127.0.0.1:${server.port}/${token}/${cluster.name}`;
  const objects = [...manifestsOf(settings, null).map(renamed), checkedWebhook(cluster.name, { url, ca: server.ca })];
  expect((await applyManifests(transport, objects, false)).status).toBe('done');
  expect((await applyManifests(transport, objects, false)).status).toBe('unchanged');

  // The API server takes a moment to heed a new webhook.
  await vi.waitFor(
    async () => {
      expect(await sendTestWebhook(transport)).toBeGreaterThan(Date.parse('2020-01-01'));
      expect(paths).not.toEqual([]);
    },
    { timeout: PATIENCE_MS, interval: 100 },
  );
  const before = paths.length;
  // An event of another user, an administrator's too, does not pass.
  await cluster.kube.create('/api/v1/namespaces/default/events', {
    metadata: { generateName: 'not-of-a-scheduler-', namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'none' },
    reason: 'FailedScheduling',
  });
  await sendTestWebhook(transport);
  expect(paths).toHaveLength(before + 1);
  expect(new Set(paths)).toEqual(new Set([`/${token}/${cluster.name}`]));

  const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`;
  const removed: string[] = [];
  for (const object of removableManifests(settings).map(renamed)) {
    if ((await removeObject(transport, object)) === 'removed') removed.push(nameOf(object));
    expect(await readObject(transport, object)).toBeNull();
  }
  expect(removed).toEqual(expect.arrayContaining(objects.map(nameOf)));
  const webhooks = await cluster.kube.list<V1ValidatingWebhookConfiguration>(
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  );
  expect(webhooks.map(({ metadata }) => metadata?.name)).not.toContain(`outrigger-${cluster.name}`);
});
