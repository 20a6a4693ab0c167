import { AWAITING_PODS_TAINT } from '../../../core/model/cluster/node.ts';
import { describe, expect, it } from 'vitest';
import { createTransport } from '../../../providers/kubernetes/client/transport.ts';
import { webhookConfiguration, webhookName } from '../../../providers/kubernetes/manifests/webhook.ts';
import { checkedWebhook, installLocalWebhook } from '../../../providers/kubernetes/webhook.ts';
import { apiServer, json, refuse } from './api-server.ts';

const TARGET = { url: 'https://abc.lambda-url.eu-central-1.on.aws/3f9c/harbour', ca: null };

describe('the webhook', () => {
  it('is called for events of failed scheduling, and delays no write', () => {
    expect(webhookConfiguration('harbour', TARGET)).toMatchInlineSnapshot(`
      {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {
          "labels": {
            "app.kubernetes.io/managed-by": "outrigger",
          },
          "name": "outrigger-harbour",
        },
        "webhooks": [
          {
            "admissionReviewVersions": [
              "v1",
            ],
            "clientConfig": {
              "url": "https://abc.lambda-url.eu-central-1.on.aws/3f9c/harbour",
            },
            "failurePolicy": "Ignore",
            "matchConditions": [
              {
                "expression": "has(object.reason) && object.reason == 'FailedScheduling'",
                "name": "no-node-found",
              },
              {
                "expression": "request.userInfo.username in ['system:kube-scheduler']",
                "name": "from-a-scheduler",
              },
              {
                "expression": "!(has(request.dryRun) && request.dryRun)",
                "name": "not-a-dry-run",
              },
            ],
            "matchPolicy": "Exact",
            "name": "failed-scheduling.outrigger.dev",
            "rules": [
              {
                "apiGroups": [
                  "",
                ],
                "apiVersions": [
                  "v1",
                ],
                "operations": [
                  "CREATE",
                  "UPDATE",
                ],
                "resources": [
                  "events",
                ],
                "scope": "Namespaced",
              },
              {
                "apiGroups": [
                  "events.k8s.io",
                ],
                "apiVersions": [
                  "v1",
                ],
                "operations": [
                  "CREATE",
                  "UPDATE",
                ],
                "resources": [
                  "events",
                ],
                "scope": "Namespaced",
              },
            ],
            "sideEffects": "NoneOnDryRun",
            "timeoutSeconds": 2,
          },
        ],
      }
    `);
  });

  it('says which authority signed the certificate of a private address', () => {
    const [webhook] = webhookConfiguration('harbour', { ...TARGET, ca: 'PEM' }).webhooks;
    expect(webhook!['clientConfig']).toEqual({ url: TARGET.url, caBundle: Buffer.from('PEM').toString('base64') });
  });

  it.each([
    ['harbour', 'outrigger-harbour'],
    ['Team_A', 'outrigger-team-a'],
    ['odd-', 'outrigger-odd'],
    ['a'.repeat(100), `outrigger-${'a'.repeat(100)}`],
  ])('of cluster %s is called %s', (cluster, name) => {
    expect(webhookName(cluster)).toBe(name);
    expect(name).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
  });

  it.each([
    'http://abc.example/secret/harbour',
    'https://user@abc.example/secret/harbour',
    'https://user:pw@abc.example/secret/harbour',
    'https://abc.example/secret/harbour?x=1',
    'https://abc.example/secret/harbour?',
    'https://abc.example/secret/harbour#x',
    'secret',
  ])('refuses %s, without repeating the token in it', (url) => {
    const build = () => checkedWebhook('harbour', { url, ca: null });
    expect(build).toThrow('https://');
    expect(build).not.toThrow('secret');
  });

  it('takes the events of further schedulers, by their users', () => {
    const schedulerUsers = ['system:serviceaccount:kube-system:batch', 'system:kube-scheduler'];
    const [webhook] = webhookConfiguration('harbour', { ...TARGET, schedulerUsers }).webhooks;
    expect(webhook!['matchConditions']).toContainEqual({
      name: 'from-a-scheduler',
      expression: "request.userInfo.username in ['system:kube-scheduler', 'system:serviceaccount:kube-system:batch']",
    });
  });

  it('is told of nodes that await their pods with the option alone, and of no other node', () => {
    expect(webhookConfiguration('harbour', TARGET).webhooks).toHaveLength(1);
    const [events, nodes] = webhookConfiguration('harbour', { ...TARGET, readyNodes: true }).webhooks;
    expect([events]).toEqual(webhookConfiguration('harbour', TARGET).webhooks);
    expect(nodes).toMatchObject({
      name: 'ready-node.outrigger.dev',
      clientConfig: { url: TARGET.url },
      rules: [{ resources: ['nodes', 'nodes/status'], operations: ['UPDATE'] }],
      failurePolicy: 'Ignore',
      timeoutSeconds: 2,
    });
    expect(nodes!['matchConditions']).toContainEqual({
      name: 'awaits-pods',
      expression: `has(object.spec.taints) && object.spec.taints.exists(t, t.key == '${AWAITING_PODS_TAINT}')`,
    });
  });

  it.each(["x', 'y", '', 'a\\', 'a b', 'x'.repeat(254)])('refuses %j as the user of a scheduler', (user) => {
    expect(() => webhookConfiguration('harbour', { ...TARGET, schedulerUsers: [user] })).toThrow(
      'is not a user of a scheduler',
    );
  });
});

const PATH = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/outrigger-local-harbour';
const stored = (url: string) => ({
  metadata: { name: 'outrigger-local-harbour', uid: 'u1', resourceVersion: '7' },
  webhooks: [{ clientConfig: { url } }],
});

describe('the webhook of a process', () => {
  const install = async (connection: Parameters<typeof createTransport>[0], replace = false) => {
    const transport = createTransport(connection);
    try {
      const { remove } = await installLocalWebhook(transport, 'harbour', { ...TARGET, replace });
      return await remove();
    } finally {
      transport.close();
    }
  };

  it('has a name of its own, and is removed only as the version that was installed', async () => {
    await using server = await apiServer(({ method }, response) =>
      method === 'GET' ? refuse(response, 404, 'NotFound', 'not found') : json(response, 200, stored(TARGET.url)),
    );
    expect(await install(server.connection)).toBe('removed');
    const [, applied, removed] = server.seen;
    expect(applied).toMatchObject({ method: 'PATCH', path: PATH });
    expect(applied!.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(Object.fromEntries(applied!.query)).toEqual({ fieldManager: 'outrigger', force: 'true' });
    expect(JSON.parse(applied!.body)).toMatchObject({ metadata: { name: 'outrigger-local-harbour' } });
    expect(removed).toMatchObject({ method: 'DELETE', path: PATH });
    expect(JSON.parse(removed!.body)).toMatchObject({ preconditions: { uid: 'u1', resourceVersion: '7' } });
  });

  it('stays where another client has changed it', async () => {
    await using server = await apiServer(({ method }, response) =>
      method === 'DELETE'
        ? refuse(response, 409, 'Conflict', 'precondition failed')
        : json(response, 200, stored(TARGET.url)),
    );
    expect(await install(server.connection)).toBe('changed');
  });

  it('replaces none of another address, unless it is told to, and does not tell the token', async () => {
    await using server = await apiServer((_seen, response) =>
      json(response, 200, stored('https://10.0.0.9:31943/t0ken/harbour')),
    );
    const refused = install(server.connection);
    await expect(refused).rejects.toThrow('a webhook outrigger-local-harbour for 10.0.0.9:31943');
    await expect(refused).rejects.toThrow('--replace-webhook');
    await expect(refused).rejects.not.toThrow('t0ken');
    expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
    expect(await install(server.connection, true)).toBe('removed');
  });

  it('that may not be read is an error with the missing rule', async () => {
    await using server = await apiServer((_seen, response) => refuse(response, 403, 'Forbidden', 'no'));
    await expect(install(server.connection)).rejects.toThrow(
      '{apiGroups: ["admissionregistration.k8s.io"], resources: ["validatingwebhookconfigurations"], verbs: ["get"]}',
    );
  });
});
